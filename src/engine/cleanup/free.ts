/**
 * Frees the bytes of what was removed from the lists long enough ago: journal entries first, then blobs, then their space.
 */

import { phrase } from '../../phrase.ts';
import type { BlobInfo } from '../../storage/contract.ts';
import { joinSpans, type Span, withoutSpans } from '../../storage/ranges.ts';
import { CREATING } from '../task/records/checkpoints.ts';
import { cleanedKey, cleanedRecord } from '../task/records/cleaned.ts';
import { headRecord } from '../task/records/head.ts';
import { keyOf } from '../task/records/kind.ts';
import { type Member, orphansIn, removeOrphans } from './blobs.ts';
import { readableEnd } from './damage.ts';
import { journalBytes } from './plan.ts';
import { isUnreadable, type Unfinished } from './survey.ts';
import { graceIsOver, removeBare, type Sweep, unlessTaken } from './sweep.ts';

export interface Freed {
  readonly entries: number;
  readonly entry_bytes: number;
  /** Unreferenced snapshots of files. They and what only they needed are counted among the blobs. */
  readonly snapshots: number;
  /** Refs of ours in git repositories of this machine that kept objects for them. */
  readonly holds: number;
  readonly blobs: number;
  readonly blob_bytes: number;
  /**
   * Outside tasks: letters that nobody will read, places in the queue, copies of conversations and of conflicts,
   * resolutions.
   */
  readonly records: number;
  readonly record_bytes: number;
}

export const NOTHING_FREED: Freed = {
  entries: 0,
  entry_bytes: 0,
  snapshots: 0,
  holds: 0,
  blobs: 0,
  blob_bytes: 0,
  records: 0,
  record_bytes: 0,
};

/**
 * Tasks that share journals are freed together. What was cut is noted last: a killed clean-up leaves work for the next one,
 * and nothing half done.
 */
export async function freeFamily(sweep: Sweep, family: readonly Member[]): Promise<Freed> {
  const cuts = new Map<string, { member: Member; spans: readonly Span[] }>();
  let freed = NOTHING_FREED;
  for (const member of family) {
    const spans = withoutSpans(member.needless, member.of.cleaned.cut);
    if (spans.length === 0 || (await readableEnd(sweep, member.of)) === null) continue;
    const cut = await cutSpans(sweep, member, spans);
    if (!cut) continue;
    cuts.set(member.of.task, { member, spans });
    freed = addFreed(freed, { entries: cut.entries, entry_bytes: cut.bytes });
  }
  if (cuts.size === 0 && !sweep.thorough) return freed;
  const orphans = await orphansIn(sweep, family);
  for (const member of family) {
    const went = await removeOrphans(sweep, member, orphans.get(member.of.task) ?? []);
    freed = addFreed(freed, { blobs: went.length, blob_bytes: totalBytes(went) });
  }
  if (!sweep.dry) {
    for (const { member, spans } of cuts.values()) await settle(sweep, member, spans);
    for (const { of, over } of family) if (over && of.head === null) await dropIfBare(sweep, of.task);
  }
  return freed;
}

/** Takes the entries out of the journal, each stretch only if the task's head is unchanged since it was read. */
async function cutSpans(
  sweep: Sweep,
  { of }: Member,
  spans: readonly Span[],
): Promise<{ entries: number; bytes: number } | null> {
  const { storage, dry } = sweep;
  const total = { entries: 0, bytes: 0 };
  let revision = of.revisions.head;
  for (const [from, to] of spans) {
    const { entries, bytes } = await journalBytes(sweep, of.task, from, to);
    total.entries += entries;
    total.bytes += bytes;
    if (dry) continue;
    const guard = of.head ? [{ ...headRecord(of.head), expect: revision }] : [];
    const receipt = await unlessTaken(sweep, of.task, () =>
      storage.commit({ task: of.task, records: guard, cut: { from, to } }),
    );
    if (!receipt) return null;
    revision = receipt.records[0]?.revision ?? revision;
  }
  return total;
}

/** Frees the space, then notes that it was done. */
async function settle(sweep: Sweep, { of }: Member, spans: readonly Span[]): Promise<void> {
  const { storage } = sweep;
  const cut = joinSpans([...of.cleaned.cut, ...spans]).map(([from, to]): [number, number] => [from, to]);
  await compact(sweep, of.task);
  await unlessTaken(sweep, of.task, () =>
    storage.commit({ task: of.task, records: [cleanedRecord(of.task, { ...of.cleaned, cut })] }),
  );
}

/** An execution that never was a task has no history to keep: when only our note is left of it, that is removed, too. */
async function dropIfBare(sweep: Sweep, task: string): Promise<void> {
  await removeBare(sweep, task, async () => {
    if (!(await hasOnly(sweep, task, cleanedKey(task)))) return false;
    for await (const _ of sweep.storage.listBlobs(task)) return false;
    return true;
  });
}

/** What was stored of a task that never came into being. */
export async function freeUnfinished(sweep: Sweep, { task, begun_at }: Unfinished): Promise<Freed> {
  const nothing = NOTHING_FREED;
  if (!graceIsOver(sweep, begun_at)) return nothing;
  const blobs: BlobInfo[] = [];
  for await (const blob of sweep.storage.listBlobs(task)) blobs.push(blob);
  const isUnfinished = () => hasOnly(sweep, task, keyOf(CREATING, task));
  if (!sweep.dry && !(await removeBare(sweep, task, isUnfinished))) return nothing;
  return addFreed(nothing, { blobs: blobs.length, blob_bytes: totalBytes(blobs) });
}

async function hasOnly({ storage }: Sweep, task: string, key: string): Promise<boolean> {
  const { keys } = await storage.page('tasks', { prefix: `${task}/`, limit: 2 });
  return keys.length === 1 && keys[0] === key;
}

export async function compact(sweep: Sweep, task: string): Promise<void> {
  try {
    await unlessTaken(sweep, task, () => sweep.storage.compact(task));
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    sweep.skip(task, phrase`it cannot be compacted: ${error.message}`);
  }
}

export function addFreed(freed: Freed, more: Partial<Freed>): Freed {
  return {
    entries: freed.entries + (more.entries ?? 0),
    entry_bytes: freed.entry_bytes + (more.entry_bytes ?? 0),
    snapshots: freed.snapshots + (more.snapshots ?? 0),
    holds: freed.holds + (more.holds ?? 0),
    blobs: freed.blobs + (more.blobs ?? 0),
    blob_bytes: freed.blob_bytes + (more.blob_bytes ?? 0),
    records: freed.records + (more.records ?? 0),
    record_bytes: freed.record_bytes + (more.record_bytes ?? 0),
  };
}

export function totalBytes(blobs: readonly BlobInfo[]): number {
  return blobs.reduce((sum, { size }) => sum + size, 0);
}
