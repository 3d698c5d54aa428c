/**
 * Commits without a claim, from any process: in turn under the store's lock, with the views written before it is released.
 */
import * as io from '../../system/io.ts';
import type { LocalLocks } from '../../system/locks/locks.ts';
import type { PreparedCommit } from '../backend.ts';
import type { Receipt, Repair } from '../contract.ts';
import { appendFrame, applyPlanned, beginLog, isIdle, planCommit, type RecordFacts } from './append.ts';
import { resetLog } from './compact.ts';
import { storeGone } from './fence.ts';
import type { Guard } from './guard.ts';
import type { Layout } from './layout.ts';
import { syncViews, writeSharedIndex, writeView, writeViews } from './records.ts';
import { repairShared } from './repair.ts';
import { blankScope, loadScope, readOnDamaged, type Scope } from './scope.ts';

export interface Shared {
  /** The records outside tasks, as the log has them now. */
  scope(): Scope;
  commit(prepared: PreparedCommit): Promise<Receipt>;
  /** Continues from what the log and the views still have; null when nothing is damaged. */
  repair(): Promise<Repair | null>;
  /** Starts a new log, without what was overwritten or removed; returns how many bytes that frees. */
  compact(): Promise<number>;
  close(): Promise<void>;
}

/** The name under which records outside tasks are locked; no task can have it. */
const OUTSIDE = '';
/** When the log of records outside tasks is this long, its views are synced and a new log is started. */
const RESET_AT = 256 * 1024;
/** The same for this many records: syncing their views must not hold others up for long. */
const RESET_RECORDS = 200;
/** How many commits may pass before the index is brought up to date. */
const NOTE_EVERY = 64;

export function createShared(layout: Layout, guard: Guard, locks: LocalLocks, facts: RecordFacts): Shared {
  // The open file keeps its inode from being used again, so the same number means the same log.
  let cached: { scope: Scope; file: io.OpenFile; ino: number } | undefined;

  let unnoted = 0;

  /** The commit is on the disk; what cannot be shown now is read from the log until it can. */
  const showQuietly = (write: () => void): void => {
    try {
      write();
    } catch (error) {
      guard.noteFailure(error);
    }
  };

  const note = (scope: Scope): void => {
    unnoted = 0;
    showQuietly(() => writeSharedIndex(layout, scope));
  };

  const reopen = (): Scope => {
    if (cached) io.close(cached.file);
    cached = undefined;
    const file = io.open(layout.sharedLog, 'r+');
    const scope = loadScope(layout, null)!;
    const { ino } = io.stat(file);
    cached = { scope, file, ino };
    return scope;
  };

  const current = (): Scope => {
    const found = io.lstat(layout.sharedLog);
    if (!found) throw storeGone(layout.sharedLog);
    if (!cached || !found || found.ino !== cached.ino) return reopen();
    if (found.size !== cached.scope.end && !cached.scope.damage) readOnDamaged(cached.scope, cached.file);
    return cached.scope;
  };

  const append = (scope: Scope, file: io.OpenFile, prepared: PreparedCommit): Receipt => {
    const planned = planCommit(scope, prepared, facts);
    appendFrame(scope, file, planned.bytes);
    io.fdatasync(file);
    applyPlanned(scope, planned);
    return planned.receipt;
  };

  const repair = (): Repair | null => {
    const { damage } = current();
    const repaired = damage && repairShared(layout, current());
    if (repaired) reopen();
    return repaired;
  };

  const reset = (scope: Scope): void => {
    syncViews(layout, scope);
    resetLog(scope);
    reopen();
  };

  const compact = (): number => {
    const scope = current();
    if (scope.damage) throw scope.damage;
    const { end } = scope;
    reset(scope);
    return Math.max(0, end - cached!.scope.end);
  };

  const commitOutside = (prepared: PreparedCommit): Receipt => {
    const scope = current();
    if (scope.damage) throw scope.damage;
    if (isIdle(scope, prepared, facts)) return planCommit(scope, prepared, facts).receipt;
    const receipt = append(scope, cached!.file, prepared);
    const isFull = scope.end > RESET_AT || scope.records.size > RESET_RECORDS;
    if (!isFull) {
      showQuietly(() => {
        for (const { category, key } of prepared.records)
          writeView(layout, scope.records.get(`${category}/${key}`)!);
      });
    }
    unnoted += 1;
    if (unnoted >= NOTE_EVERY) note(scope);
    if (isFull) showQuietly(() => reset(scope)); // It writes all views: of a large record not twice.
    return receipt;
  };

  const commitTask = (prepared: PreparedCommit): Receipt => {
    const path = layout.taskLog(prepared.task!);
    const before = loadScope(layout, prepared.task) ?? blankScope(prepared.task, path);
    if (isIdle(before, prepared, facts)) return planCommit(before, prepared, facts).receipt;
    if (before.end === 0) beginLog(layout, prepared, facts);
    const file = io.open(path, 'r+');
    try {
      const scope = loadScope(layout, prepared.task)!;
      const receipt = append(scope, file, prepared);
      showQuietly(() => writeViews(layout, scope));
      return receipt;
    } finally {
      io.close(file);
    }
  };

  return {
    scope: current,
    repair: () => locks.exclusively(OUTSIDE, () => guard.write(repair)),
    compact: () => locks.exclusively(OUTSIDE, () => guard.write(compact)),
    commit: (prepared) =>
      locks.exclusively(prepared.task ?? OUTSIDE, () =>
        guard.write(() => (prepared.task === null ? commitOutside(prepared) : commitTask(prepared))),
      ),
    close: async () => {
      // Without the note a later loss of the log's end is harder to notice, but closing must not fail for that.
      if (unnoted > 0) await locks.exclusively(OUTSIDE, () => note(current())).catch(() => {});
      if (cached) io.close(cached.file);
      cached = undefined;
    },
  };
}
