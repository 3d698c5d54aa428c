/**
 * Group commit: writes that arrive in one turn of the event loop, or while others are being written, share one
 * transaction and so one sync. A write that is refused does not disturb the others.
 */
import type { DatabaseSync } from 'node:sqlite';
import { StoreError, VibeError } from '../../errors.ts';
import { busy, closed, faultOf, isBusy, isFailedSync, poisoned } from '../../system/locks/sqlite-faults.ts';
import type { Turn } from '../../system/locks/store-turn.ts';
import { isoNow } from '../clock.ts';
import type { Memory } from './memory.ts';

/**
 * Runs inside the transaction, which has one time for all of it. It checks first and only then writes: a refusal is the error as a *value*, returned
 * before anything was written.
 */
type Write<T> = (now: string) => T | VibeError;

export interface Writer {
  /** Resolves when the write is on the disk. */
  write<T>(run: Write<T>): Promise<T>;
  /** From now on every write is refused with this error. */
  refuse(error: VibeError): void;
  /** Resolves when all writes so far have settled. */
  idle(): Promise<void>;
}

interface Job {
  readonly run: Write<unknown>;
  readonly since: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Keeps the event loop from waiting too long for one transaction. */
const LARGEST_GROUP = 512;
const LONGEST_RUN_MS = 5;

/** What guards a transaction beyond SQLite's own locks, which the process can lose (`system/locks/store-turn.ts`). */
interface Around {
  /** Among the processes that have the file open. */
  readonly turn: Pick<Turn, 'enter' | 'leave'>;
  /** Throws if writes would be lost because the files were removed. */
  assertThere(): void;
}

export function groupWrites(
  db: DatabaseSync,
  path: string,
  patience_ms: number,
  memory: Memory,
  around: Around,
): Writer {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  let waiting: Job[] = [];
  let scheduled = false;
  let alone = false;
  let unseen = false;
  let turn = Number.NEGATIVE_INFINITY;
  let refusal: VibeError | undefined;
  let idlers: (() => void)[] = [];

  /** At the end of the turn, which collects what others ask for and leaves room for timers and signals. */
  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    setImmediate(drain);
  }

  function drain(): void {
    scheduled = false;
    turn = performance.now();
    const jobs = waiting;
    waiting = jobs.length > LARGEST_GROUP ? jobs.splice(LARGEST_GROUP) : [];
    alone = jobs.length === 1;
    serve(jobs);
  }

  function serve(jobs: readonly Job[]): void {
    if (runGroup(jobs)) {
      if (waiting.length > 0) schedule();
    } else {
      waiting = [...jobs.filter(stillPatient), ...waiting];
      scheduled = true;
      setTimeout(drain, 1 + Math.random() * 4);
    }
    if (waiting.length === 0) {
      for (const done of idlers) done();
      idlers = [];
    }
  }

  /**
   * A lone writer is served at once, unless it has blocked the event loop for long. A second one is noticed when it writes
   * before the first has its answer.
   */
  function canServeNow(now: number): boolean {
    if (unseen) alone = false;
    return alone && !scheduled && now - turn < LONGEST_RUN_MS;
  }

  /** Settles every job, or none and returns false when another process holds the lock. */
  function runGroup(jobs: readonly Job[]): boolean {
    // The caller that closes the store waits for the writes before it, not for those that came in the meantime.
    if (!db.isOpen) refusal ??= closed(path);
    if (refusal) {
      for (const job of jobs) job.reject(refusal);
      return true;
    }
    if (!around.turn.enter()) return false;
    let results: unknown[];
    try {
      begin.run();
      memory.check();
      const now = isoNow();
      results = jobs.map((job) => job.run(now));
      commit.run();
      around.assertThere();
    } catch (error) {
      memory.forget();
      rollback();
      if (isBusy(error)) return false;
      if (error instanceof StoreError && error.code === 'STORE_GONE') refusal = error;
      else if (isFailedSync(error)) refusal = poisoned(path, error);
      else if (jobs.length > 1) {
        // Running each alone shows which one failed.
        for (const job of jobs) if (!runGroup([job])) waiting.push(job);
        return true;
      }
      for (const job of jobs) job.reject(faultOf(path, error));
      return true;
    } finally {
      around.turn.leave();
    }
    jobs.forEach((job, i) => {
      const result = results[i];
      if (result instanceof VibeError) job.reject(result);
      else job.resolve(result);
    });
    return true;
  }

  /** Cheaper than `queueMicrotask`. */
  const settled = Promise.resolve();

  function seen(): void {
    unseen = false;
  }

  function rollback(): void {
    try {
      if (db.isTransaction) db.exec('ROLLBACK');
    } catch (error) {
      refusal ??= poisoned(path, error);
    }
  }

  function stillPatient(job: Job): boolean {
    if (performance.now() - job.since < patience_ms) return true;
    job.reject(busy(path));
    return false;
  }

  return {
    write<T>(run: Write<T>): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        const since = performance.now();
        const job: Job = { run, since, resolve: resolve as Job['resolve'], reject };
        if (canServeNow(since)) {
          unseen = true;
          void settled.then(seen);
          serve([job]);
        } else {
          waiting.push(job);
          schedule();
        }
      });
    },
    refuse(error) {
      refusal = error;
    },
    idle: () =>
      scheduled || waiting.length > 0 ? new Promise((resolve) => idlers.push(resolve)) : Promise.resolve(),
  };
}
