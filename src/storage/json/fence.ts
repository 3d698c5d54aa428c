/**
 * The newest fence of a task, on the disk: read before every commit and again before it is acknowledged. If two processes
 * ever believe that they own the task, the one that claimed it first stops writing.
 */
import { join } from 'node:path';
import { OwnershipError, StoreError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { ensureDir, removeIfExists, writeAll } from '../../system/files.ts';
import * as io from '../../system/io.ts';

export interface FenceFile {
  readonly number: number;
  isNewest(): boolean;
  /** FENCED_OUT as a value; null while it is the newest, or was a millisecond ago. */
  followed(): OwnershipError | null;
  /** FENCED_OUT when another claim has followed: read from the disk, now. */
  assertNewest(): void;
  /** The same; STORE_GONE when the log it guards was removed. */
  assertHeld(log: io.OpenFile): void;
  /** Ends it; the file goes if the claim was the newest. */
  release(): void;
}

/**
 * How often the log itself is looked at. A look gives the file a new time at its next write, which has to reach the disk with
 * it: that sync takes half as long again. In between its name is looked for.
 */
const LOOK_MS = 100;

/**
 * For so long one look is enough where nothing is written. After a process was stopped, more time has passed than that.
 */
const CURRENT_MS = 1;

/** As many digits as a safe integer has, so that a newer one is written over it in one piece. */
const DIGITS = 16;

export function raiseFence(dir: string, task: string, name: string, fence: number): FenceFile {
  ensureDir(dir);
  const path = join(dir, name);
  const file = openOrMake(path);
  const own = Buffer.from(String(fence).padStart(DIGITS, '0'));
  const found = Buffer.alloc(DIGITS);
  let looked = Number.NEGATIVE_INFINITY;
  let newestAt = Number.NEGATIVE_INFINITY;
  writeAll(file, own, 0);

  const isNewest = (): boolean => {
    const at = performance.now();
    const newest = io.read(file, found, 0) === DIGITS && found.equals(own);
    newestAt = newest ? at : Number.NEGATIVE_INFINITY;
    return newest;
  };
  const isCurrent = (): boolean => performance.now() - newestAt < CURRENT_MS;
  const later = (): OwnershipError => fencedOut(task, fence, Number(found.toString()));
  const assertNewest = (): void => {
    if (!isNewest()) throw later();
  };
  return {
    number: fence,
    isNewest,
    followed: () => (isCurrent() || isNewest() ? null : later()),
    assertNewest,
    assertHeld(log) {
      assertNewest();
      const now = performance.now();
      const isDue = now - looked >= LOOK_MS;
      if (isDue) looked = now;
      if (isDue ? io.fstat(log).nlink === 0 : !io.exists(log.path)) throw storeGone(log.path);
    },
    release() {
      // Where another claim has written over it, its owner reads this very file.
      if (isNewest()) removeIfExists(path);
      io.close(file);
    },
  };
}

/** Written in place, never replaced: every process that has it open sees what is written. */
function openOrMake(path: string): io.OpenFile {
  try {
    return io.open(path, 'r+');
  } catch (error) {
    if (io.errnoOf(error) !== 'ENOENT') throw error;
  }
  try {
    return io.open(path, 'wx+');
  } catch (error) {
    if (io.errnoOf(error) !== 'EEXIST') throw error;
    return io.open(path, 'r+');
  }
}

function fencedOut(task: string, fence: number, current: number): OwnershipError {
  return new OwnershipError(
    'FENCED_OUT',
    phrase`Task ${task} is no longer owned by this process: claim ${fence} was followed by ${current}.`,
    {
      data: { task, fence, current },
      hint: phrase`Another process has taken the task over. Look at it again before you do anything else with it.`,
    },
  );
}

export function notOwned(task: string): OwnershipError {
  return new OwnershipError('FENCED_OUT', phrase`Task ${task} is no longer owned by this process.`, {
    data: { task, fence: null, current: null },
    hint: phrase`Nothing was written: resume the task again.`,
  });
}

export function storeGone(path: string): StoreError {
  return new StoreError('STORE_GONE', phrase`${path} was removed while the store was open.`, {
    data: { path },
    hint: phrase`Nothing more is written. Restore it from a copy if there is one, then start again.`,
  });
}
