/** Files of our own by which it is known how far a watch has come: once one is told of, so is everything before it. */
import { join } from 'node:path';
import { ensureDir, removeIfExists } from '../../system/files.ts';
import { newId } from '../../system/ids.ts';
import * as io from '../../system/io.ts';
import { PROCESS_MARK, processLives } from '../../system/process/alive.ts';

interface Cookies {
  /** Whether all that happened before has been told of. */
  seen(): Promise<boolean>;
  /** The same of a watch that may begin only a while after it was asked for. */
  seenAtLast(): Promise<boolean>;
  /** A name in their directory. */
  told(name: string | null): void;
  /** None will be told of. */
  fail(): void;
  close(): void;
}

const TIMEOUT_MS = 2_000;
const FIRST_MS = 50;

/**
 * `touched`: a touch of a file is told of once, and in order. Then one file is enough: making and removing one takes many times
 * as long.
 */
export function openCookies(directory: string, { touched }: { readonly touched: boolean }): Cookies {
  ensureDir(directory);
  removeLeftovers(directory);
  let waiting: { readonly name: string; readonly told: () => void } | undefined;
  let kept: string | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  let broken = false;

  const drop = (): void => {
    if (kept !== undefined) removeIfExists(join(directory, kept));
    kept = undefined;
  };

  /** False if somebody has removed it. */
  const touchKept = (): boolean => {
    try {
      if (kept !== undefined) io.touch(join(directory, kept));
      return kept !== undefined;
    } catch (error) {
      if (io.errnoOf(error) === 'ENOENT') return false;
      throw error;
    }
  };

  const look = async (timeout_ms: number): Promise<boolean> => {
    if (broken) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), timeout_ms);
    const waitFor = (name: string): void => {
      waiting = { name, told: () => resolve(true) };
    };
    try {
      if (kept !== undefined) waitFor(kept);
      if (!touchKept()) {
        kept = `${PROCESS_MARK}-${newId('c')}`;
        waitFor(kept);
        io.close(io.open(join(directory, kept), 'wx'));
      }
      const isSeen = await promise;
      // Of one that was not told of in time it may be told when the next is waited for.
      if (!isSeen || !touched) drop();
      return isSeen;
    } finally {
      clearTimeout(timer);
      waiting = undefined;
    }
  };

  /** One after another: what is told of does not say which touch it is about. */
  const seen = (timeout_ms: number): Promise<boolean> => {
    const answer = turn.then(() => look(timeout_ms));
    // Its caller has the error.
    turn = answer.catch(() => {});
    return answer;
  };

  return {
    seen: () => seen(TIMEOUT_MS),
    async seenAtLast() {
      for (let wait = FIRST_MS; wait < TIMEOUT_MS; wait *= 2) if (await seen(wait)) return true;
      return seen(TIMEOUT_MS);
    },
    told: (name) => {
      if (name === waiting?.name) waiting?.told();
    },
    fail: () => {
      broken = true;
    },
    close: drop,
  };
}

/** Of processes that were killed. */
function removeLeftovers(directory: string): void {
  for (const name of io.readNames(directory)) {
    if (processLives(name.split('-')[0]!) === false) removeIfExists(join(directory, name));
  }
}
