/** Removing and compacting a task, each inside one transaction, and the size of all of them. */
import type { DatabaseSync } from 'node:sqlite';
import type { VibeError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import * as io from '../../system/io.ts';
import type { Blobs } from './blobs.ts';
import { refuseStranger, type Tables } from './commit.ts';
import { SHARED } from './heads.ts';

export function removeTask(
  tables: Tables,
  blobs: Blobs,
  task: string,
  fence: number | undefined,
): boolean | VibeError {
  const { heads, journal, records } = tables;
  const head = heads.of(task);
  const refusal = refuseStranger(tables, head, fence);
  if (refusal) return refusal;
  const end = journal.end(head);
  const revision = records.removeOf(task);
  const removedBlobs = blobs.removeOf(task);
  if (head.id === null) return removedBlobs > 0;
  journal.truncate(head.id, 0);
  heads.remove(head);
  // A task of the same name must not use its numbers again, or a late writer could mistake one for the other.
  const shared = heads.of(SHARED);
  heads.put({
    ...shared,
    fence: Math.max(shared.fence, head.fence),
    revision: Math.max(shared.revision, head.revision, revision),
  });
  return revision > 0 || removedBlobs > 0 || end.seq > 0;
}

export function compactTask(tables: Tables, task: string, fence: number | undefined): number | VibeError {
  const head = tables.heads.of(task);
  return refuseStranger(tables, head, fence) ?? (head.id === null ? 0 : tables.journal.compact(head));
}

/**
 * Blobs of tasks that have nothing else and no owner, and what repairs put aside: only rows; `rebuild` frees their bytes.
 */
export function removeLeftovers(
  db: DatabaseSync,
  { locks }: Tables,
  blobs: Blobs,
  isTask: (task: string) => boolean,
): void {
  const rows = db.prepare("SELECT DISTINCT task FROM blobs WHERE task <> ''").all() as { task: string }[];
  for (const { task } of rows) if (!isTask(task) && locks.owner(task) === null) blobs.removeOf(task);
  db.exec('DELETE FROM damaged');
}

/** Rewrites the file without free pages, and empties the log next to it; returns how much shorter they are. */
export function rebuild(db: DatabaseSync, path: string): number {
  const before = bytesOf(path);
  db.exec('VACUUM');
  const { busy } = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number };
  if (busy !== 0) throw Object.assign(new Error(phrase`The log is being read.`), { errcode: SQLITE_BUSY });
  return Math.max(0, before - bytesOf(path));
}

/** SQLite's own code: a caller that waits for its locks waits for this, too. */
const SQLITE_BUSY = 5;

function bytesOf(path: string): number {
  return (io.lstat(path)?.size ?? 0) + (io.lstat(`${path}-wal`)?.size ?? 0);
}

/** Without free pages, which are used again before the file grows. */
export function usedBytes(db: DatabaseSync): number {
  const row = db.prepare(
    `SELECT (pages.page_count - free.freelist_count) * size.page_size AS bytes
     FROM pragma_page_count AS pages, pragma_freelist_count AS free, pragma_page_size AS size`,
  );
  return (row.get() as { bytes: number }).bytes;
}
