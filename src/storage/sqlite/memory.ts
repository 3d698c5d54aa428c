/**
 * What a connection may remember between transactions: it holds until another connection has written, or a transaction
 * of its own was rolled back.
 */
import type { DatabaseSync } from 'node:sqlite';

export interface Memory {
  /** Inside a transaction, before anything remembered is used. */
  check(): void;
  /** Reads by several statements, or from what is remembered, that see one state; over before anybody else runs. */
  snapshot<T>(run: () => T): T;
  forget(): void;
  /** Says what to do to forget. */
  onForget(run: () => void): void;
}

export function openMemory(db: DatabaseSync): Memory {
  const select = db.prepare('PRAGMA data_version');
  select.setReturnArrays(true); // cheaper than an object, and asked for with every commit
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
