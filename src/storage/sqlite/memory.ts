/**
 * What a connection may cache between transactions: valid until another connection has written, or a transaction of its own
 * was rolled back.
 */
import type { DatabaseSync } from 'node:sqlite';

export interface Memory {
  /** Inside a transaction, before anything cached is used. */
  check(): void;
  /** Whether what is cached is what the file has, or had a millisecond ago. */
  isCurrent(): boolean;
  /** Reads with several statements, or from the cache, that see one state; synchronous. */
  snapshot<T>(run: () => T): T;
  forget(): void;
  /** Registers how to clear a cache. */
  onForget(run: () => void): void;
}

/**
 * For so long one look is enough: what follows a look takes as long, now and then. After a process was stopped, more time has
 * passed than that.
 */
const CURRENT_MS = 1;

export function openMemory(db: DatabaseSync): Memory {
  const select = db.prepare('PRAGMA data_version');
  select.setReturnArrays(true); // cheaper than an object, and read with every commit
  const forgetters: (() => void)[] = [];
  let version = -1;
  let checked = Number.NEGATIVE_INFINITY;
  const forget = () => {
    checked = Number.NEGATIVE_INFINITY;
    for (const run of forgetters) run();
  };
  const check = () => {
    const [now] = select.get() as unknown as [number];
    if (now !== version) forget();
    version = now;
    checked = performance.now();
  };
  const isCurrent = () => {
    const at = performance.now();
    if (at - checked < CURRENT_MS) return true;
    if ((select.get() as unknown as [number])[0] !== version) return false;
    checked = at;
    return true;
  };
  const begin = db.prepare('BEGIN');
  const end = db.prepare('COMMIT');
  return {
    check,
    isCurrent,
    snapshot(run) {
      begin.run();
      try {
        check();
        return run();
      } finally {
        end.run();
      }
    },
    forget,
    onForget(run) {
      forgetters.push(run);
    },
  };
}
