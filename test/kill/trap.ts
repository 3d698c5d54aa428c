/** Points at which a process can be made to kill itself, by name. */
import type { Commit, Storage } from '../../src/storage/contract.ts';
import type { IoFault, IoHook } from '../../src/system/io.ts';
import { appended } from '../support/appended.ts';
import { DISK_CHANGES } from '../support/disk-changes.ts';
import type { Note } from './witness.ts';

/**
 * `{before|begin|during|end|after} {step id} {attempt}`: around and in a step's function.
 * `call {n} {before|after}`: the nth call that changes the store.
 * `io {n}`: before the nth change of a file; `io {n} torn`: after half of the nth write.
 */
export type Point = string;

export interface Trap {
  reached(point: Point): void;
  /** For `setIoHook`. */
  readonly io: IoHook;
  /** The storage, with its calls counted and its commits noted. */
  around(storage: Storage, note: Note): Storage;
  /** All points that were passed. */
  readonly passed: readonly Point[];
}

/** `strike`: what happens at the deadly point; default: the process kills itself. */
export function createTrap(deadly: Point | null, strike: () => void = die): Trap {
  const passed: Point[] = [];
  let changes = 0;
  let calls = 0;
  let commits = 0;
  let torn = false;

  const reached = (point: Point): void => {
    passed.push(point);
    if (point === deadly) strike();
  };

  const io: IoHook = ({ op }): IoFault | undefined => {
    if (torn) die();
    if (!DISK_CHANGES.has(op)) return undefined;
    reached(`io ${++changes}`);
    if (op !== 'write') return undefined;
    const tearing = `io ${changes} torn`;
    passed.push(tearing);
    if (tearing !== deadly) return undefined;
    torn = true;
    return { short: TORN_AT };
  };

  const counted = async <T>(call: () => Promise<T>): Promise<T> => {
    const n = ++calls;
    reached(`call ${n} before`);
    const result = await call();
    reached(`call ${n} after`);
    return result;
  };

  const noted = async <T>(commit: Commit, call: () => Promise<T>, note: Note): Promise<T> => {
    if (!commit.append) return call();
    const n = ++commits;
    note({ what: 'commit', n, entries: appended(commit) });
    const result = await call();
    note({ what: 'acked', n });
    return result;
  };

  return {
    reached,
    io,
    passed,
    around: (storage, note) => ({
      ...storage,
      save: (...given) => counted(() => storage.save(...given)),
      delete: (...given) => counted(() => storage.delete(...given)),
      putBlobs: (...given) => counted(() => storage.putBlobs(...given)),
      promiseBlobs: (...given) => counted(() => storage.promiseBlobs(...given)),
      renewBlobs: (...given) => counted(() => storage.renewBlobs(...given)),
      deleteBlobs: (...given) => counted(() => storage.deleteBlobs(...given)),
      compact: (...given) => counted(() => storage.compact(...given)),
      close: () => counted(() => storage.close()),
      commit: (commit) => counted(() => noted(commit, () => storage.commit(commit), note)),
      claim: async (task) => {
        const claim = await counted(() => storage.claim(task));
        return { ...claim, release: () => counted(() => claim.release()) };
      },
    }),
  };
}

/** Any line of a log is longer. */
const TORN_AT = 40;

/** The kernel ends the process before the call returns. */
function die(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('A process cannot outlive SIGKILL.');
}
