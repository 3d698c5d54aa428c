/** Files of our own by which it is known how far a watch has come: once one is told of, so is everything before it. */
import { join } from 'node:path';
import { ensureDir, removeIfExists } from '../../system/files.ts';
import * as io from '../../system/io.ts';

export interface Cookies {
  /** Whether all that happened before has been told of. */
  seen(): Promise<boolean>;
  /** The same of a watch that may begin only a while after it was asked for. */
  seenAtLast(): Promise<boolean>;
  /** A name in their directory. */
  told(name: string | null): void;
  /** None will be told of. */
  fail(): void;
}

const TIMEOUT_MS = 2_000;
const FIRST_MS = 50;

export function openCookies(directory: string): Cookies {
  ensureDir(directory);
  const waiting = new Map<string, () => void>();
  let number = 0;
  let broken = false;

  const seen = async (timeout_ms: number): Promise<boolean> => {
    if (broken) return false;
    const name = `${process.pid}-${number++}`;
    const answer = new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), timeout_ms);
      waiting.set(name, () => {
        clearTimeout(timer);
        resolve(true);
      });
    });
    io.close(io.open(join(directory, name), 'wx'));
    const isSeen = await answer;
    waiting.delete(name);
    removeIfExists(join(directory, name));
    return isSeen;
  };

  return {
    seen: () => seen(TIMEOUT_MS),
    async seenAtLast() {
      for (let wait = FIRST_MS; wait < TIMEOUT_MS; wait *= 2) if (await seen(wait)) return true;
      return seen(TIMEOUT_MS);
    },
    told: (name) => waiting.get(name ?? '')?.(),
    fail: () => {
      broken = true;
    },
  };
}
