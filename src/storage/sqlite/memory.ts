/**
 * What a connection may cache between transactions: valid until another connection has written, or a transaction of its own
 * was rolled back.
 */
import type { DatabaseSync } from 'node:sqlite';

export interface Memory {
  /** Inside a transaction, before anything cached is used. */
  check(): void;
  /** Reads with several statements, or from the cache, that see one state; synchronous. */
  snapshot<T>(run: () => T): T;
  forget(): void;
  /** Registers how to clear a cache. */
  onForget(run: () => void): void;
}

export function openMemory(db: DatabaseSync): Memory {
  const select = db.prepare('PRAGMA data_version');
  select.setReturnArrays(true); // cheaper than an object, and read with every commit
  const forgetters: (() => void)[] = [];
  let version = -1;
  const forget = () => {
    for (const run of forgetters) run();
  };
  const check = () => {
    const [now] = select.get() as unknown as [number];
    if (now !== version) forget();
    version = now;
  };
  const begin = db.prepare('BEGIN');
  const end = db.prepare('COMMIT');
  return {
    check,
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
