/**
 * Snapshots of files that nothing refers to any more, the blobs that only they needed, and their holds on git objects.
 *
 * Snapshots can be taken at the same time. A process that builds on one, refers to one or stores content again has renewed
 * it within the hour, and anything younger than two hours stays: a blob is deleted only if it is still old then.
 */
import { hash } from 'node:crypto';
import { hostname } from 'node:os';
import { WorkspaceError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { BlobInfo } from '../../storage/contract.ts';
import { releaseHolds } from '../../workspace/git/holds.ts';
import { rootsHere } from '../../workspace/git/noted.ts';
import { holdsOf, neededBy, SNAPSHOT_KINDS } from '../../workspace/snapshot/needs.ts';
import { type Freed, NOTHING_FREED, totalBytes } from './free.ts';
import { type Going, namedSnapshots, Unreadable } from './named-snapshots.ts';
import { isUnreadable } from './survey.ts';
import type { Sweep } from './sweep.ts';

interface FreedFiles {
  readonly freed: Partial<Freed>;
  /** Bytes that will be freed once unreferenced data is old enough. */
  readonly pending: number;
}

export const NO_FILES: FreedFiles = { freed: NOTHING_FREED, pending: 0 };

/** Nothing is removed if something that may refer to a snapshot cannot be read. */
export async function freeFiles(sweep: Sweep, going: Going): Promise<FreedFiles> {
  const stored = await snapshotBlobs(sweep);
  if (stored.length === 0) return NO_FILES;
  try {
    return await freeUnnamed(sweep, stored, await namedSnapshots(sweep, going));
  } catch (error) {
    const cause = error instanceof Unreadable ? error.cause : error;
    if (!isUnreadable(cause) && !(cause instanceof WorkspaceError)) throw cause;
    const task = error instanceof Unreadable ? error.task : null;
    sweep.skip(task, phrase`no snapshot of files is removed: ${cause.message}`);
    return NO_FILES;
  }
}

async function freeUnnamed(
  sweep: Sweep,
  stored: readonly BlobInfo[],
  named: ReadonlySet<string>,
): Promise<FreedFiles> {
  const { storage, breathe } = sweep;
  const isOld = olderThan(oldBefore(sweep));
  const [snapshots, content] = partition(stored, ({ id }) => id.startsWith('snapshot/'));
  const [kept, unnamed] = partition(snapshots, ({ id }) => named.has(id));
  const [old, young] = partition(unnamed, isOld);
  const needs = await neededBy(storage, ids(kept), breathe);
  const soon = await neededBy(storage, ids(young), breathe);
  const gone = await deleteOld(sweep, old);
  const went = new Set(ids(gone));
  const renewed = await neededBy(storage, ids(old.filter(({ id }) => !went.has(id))), breathe);
  const loose = content.filter(({ id }) => !needs.blobs.has(id) && !named.has(id));
  const freed = await deleteOld(
    sweep,
    loose.filter((blob) => isOld(blob) && !soon.blobs.has(blob.id) && !renewed.blobs.has(blob.id)),
  );
  const needed = new Set([...needs.holds, ...soon.holds, ...renewed.holds]);
  const holds = await releaseHolds(storage, { needed, made_before: oldBefore(sweep), dry: sweep.dry });
  const all = [...gone, ...freed];
  return {
    freed: { snapshots: gone.length, blobs: all.length, blob_bytes: totalBytes(all), holds },
    pending: totalBytes(loose) + totalBytes(unnamed) - totalBytes(all),
  };
}

async function snapshotBlobs({ storage, breathe }: Pick<Sweep, 'storage' | 'breathe'>): Promise<BlobInfo[]> {
  const found: BlobInfo[] = [];
  for await (const blob of storage.listBlobs(null)) {
    if (KINDS.has(blob.id.slice(0, blob.id.indexOf('/')))) found.push(blob);
    await breathe();
  }
  return found;
}
const KINDS: ReadonlySet<string> = new Set(SNAPSHOT_KINDS);

const HOUR = 60 * 60 * 1000;
const YOUNG_HOURS = 2;

function oldBefore({ now, settings }: Pick<Sweep, 'now' | 'settings'>): Date {
  return new Date(now.getTime() - Math.max(settings.grace_hours, YOUNG_HOURS) * HOUR);
}

function olderThan(limit: Date): (blob: BlobInfo) => boolean {
  return ({ created_at }) => Date.parse(created_at) < limit.getTime();
}

const BATCH = 200;

/** Returns those deleted. */
async function deleteOld(sweep: Sweep, blobs: readonly BlobInfo[]): Promise<readonly BlobInfo[]> {
  const { storage, dry, breathe } = sweep;
  if (dry) return blobs;
  const stored_before = oldBefore(sweep).toISOString();
  const gone: BlobInfo[] = [];
  for (let at = 0; at < blobs.length && !sweep.stopping(); at += BATCH) {
    const batch = blobs.slice(at, at + BATCH);
    const count = await storage.deleteBlobs(null, ids(batch), { stored_before });
    const left = new Set(count === batch.length ? [] : await storage.renewBlobs(null, ids(batch)));
    gone.push(...batch.filter(({ id }) => !left.has(id)));
    await breathe();
  }
  return gone;
}

/**
 * Clean-up runs on one machine, and does not reach the repositories of others: each releases, once a day at most, what no
 * snapshot that is left needs.
 */
export async function releaseHoldsHere(sweep: Sweep): Promise<void> {
  const { storage, breathe, at } = sweep;
  if ((await rootsHere(storage)).length === 0) return;
  const key = `holds-${hash('sha256', hostname()).slice(0, 16)}`;
  const last = (await storage.load('cleanup', key)) as { at: string } | null;
  if (last && at.getTime() - Date.parse(last.at) < DAY) return;
  const snapshots = (await snapshotBlobs(sweep)).filter(({ id }) => id.startsWith('snapshot/'));
  const needed = await holdsOf(storage, ids(snapshots), breathe);
  await releaseHolds(storage, { needed, made_before: oldBefore(sweep), dry: false });
  await storage.save('cleanup', key, { at: at.toISOString() });
}
const DAY = 24 * HOUR;

function ids(blobs: readonly BlobInfo[]): string[] {
  return blobs.map(({ id }) => id);
}

function partition<T>(all: readonly T[], fits: (one: T) => boolean): [T[], T[]] {
  const { yes = [], no = [] } = Object.groupBy(all, (one) => (fits(one) ? 'yes' : 'no'));
  return [yes, no];
}
