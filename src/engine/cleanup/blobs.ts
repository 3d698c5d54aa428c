/**
 * Blobs that nothing refers to any more: found by reading everything that is kept, removed only while no new reference is
 * possible.
 */
import { blobIdsIn, blobIdsWithin } from '../../checkpoint/values/blob-ref.ts';
import { unpackValue } from '../../checkpoint/values/pack.ts';
import { phrase } from '../../phrase.ts';
import { samePosition } from '../../storage/chain.ts';
import type { BlobInfo, Position, Storage } from '../../storage/contract.ts';
import { type Span, withoutSpans } from '../../storage/ranges.ts';
import { recordsOf } from '../task/layout.ts';
import { blobLoader } from '../task/packing.ts';
import { assertLive } from '../task/records/claim.ts';
import { isUnreadable, type Surveyed } from './survey.ts';
import { graceIsOver, type Sweep, unlessTaken } from './sweep.ts';

export interface Member {
  readonly of: Surveyed;
  /** Where its journal ended when clean-up looked at it. */
  readonly end: Position;
  /** It ended, and its checkpoints are permanently gone. */
  readonly over: boolean;
  /** The part of its journal that nothing needs. */
  readonly needless: readonly Span[];
  /** Records that would be removed, in a dry run. */
  readonly gone: ReadonlySet<string>;
}

/** By task. None if something that may refer to one cannot be read. */
export async function orphansIn(sweep: Sweep, family: readonly Member[]): Promise<Map<string, BlobInfo[]>> {
  const old = await oldBlobs(sweep, family);
  const orphans = new Map<string, BlobInfo[]>();
  if (old.size === 0) return orphans;
  const named = new Map<string, Set<string>>();
  for (const member of family) {
    try {
      named.set(member.of.task, await namedBy(sweep, member));
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      sweep.skip(
        member.of.task,
        phrase`no blob of it, or of tasks that share blobs with it, is removed: ${error.message}`,
      );
      return orphans;
    }
  }
  for (const [task, blobs] of old) {
    const users = family.filter(
      ({ of }) => of.task === task || of.head?.lineage.some((ancestor) => ancestor.task === task),
    );
    const needless = blobs.filter(({ id }) => !users.some(({ of }) => named.get(of.task)!.has(id)));
    if (needless.length > 0) orphans.set(task, needless);
  }
  return orphans;
}

/** Those stored so long ago that their writer has referred to them by now, or never will. */
async function oldBlobs(sweep: Sweep, family: readonly Member[]): Promise<Map<string, BlobInfo[]>> {
  const old = new Map<string, BlobInfo[]>();
  for (const { of } of family) {
    const blobs: BlobInfo[] = [];
    for await (const blob of sweep.storage.listBlobs(of.task)) {
      if (graceIsOver(sweep, blob.created_at)) blobs.push(blob);
      await sweep.breathe();
    }
    if (blobs.length > 0) old.set(of.task, blobs);
  }
  return old;
}

/** Every blob that the task's records, its history or the needed part of its journal refer to. */
async function namedBy(sweep: Sweep, { of, end, needless, gone }: Member): Promise<Set<string>> {
  const { storage, breathe } = sweep;
  const named = await namedByRecords(storage, of, gone);
  for (const [from, to] of withoutSpans([[1, end.seq]], needless)) {
    for await (const { data } of storage.read(of.task, { from, to })) {
      await addNamed(storage, of, data, named);
      await breathe();
    }
  }
  return named;
}

async function namedByRecords(
  storage: Storage,
  of: Surveyed,
  gone: ReadonlySet<string>,
): Promise<Set<string>> {
  const named = new Set<string>();
  for await (const { kind, category, key } of recordsOf(storage, of.task))
    if (!gone.has(key) && kind?.keeps !== 'nothing')
      await addNamed(storage, of, await storage.load(category, key), named);
  return named;
}

async function addNamed(storage: Storage, of: Surveyed, data: unknown, named: Set<string>): Promise<void> {
  if (blobIdsIn(data).length === 0) return;
  const load = blobLoader(storage, { task_id: of.task, lineage: of.head?.lineage ?? [] });
  for (const id of await blobIdsWithin(data, (reference) => unpackValue(reference, load))) named.add(id);
}

/**
 * Removes them while holding the task's claim, so that no process can store one of them again (finding it there) and refer
 * to it. What was written since the journal was read is checked again. Returns those removed.
 */
export async function removeOrphans(
  sweep: Sweep,
  { of, end, gone }: Member,
  orphans: readonly BlobInfo[],
): Promise<readonly BlobInfo[]> {
  const { storage, dry } = sweep;
  if (dry || orphans.length === 0) return orphans;
  const removed = await unlessTaken(sweep, of.task, async () => {
    const claim = await storage.claim(of.task);
    try {
      if (!samePosition(await storage.position(of.task), end)) return [];
      const named = await namedByRecords(storage, of, gone);
      const going = orphans.filter(({ id }) => !named.has(id));
      if (going.length === 0) return [];
      assertLive(claim); // No fence guards blobs; those that a later owner stored again stay.
      const ids = going.map(({ id }) => id);
      const newest = Math.max(...going.map(({ created_at }) => Date.parse(created_at)));
      const count = await storage.deleteBlobs(of.task, ids, {
        stored_before: new Date(newest + 1).toISOString(),
      });
      if (count === ids.length) return going;
      const left = new Set(await storage.renewBlobs(of.task, ids));
      return going.filter(({ id }) => !left.has(id));
    } finally {
      await claim.release();
    }
  });
  return removed ?? [];
}
