/** Looks at the shared files again and again: each is whole whenever it is there, and no mark that was there is ever gone. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../crash/random.ts';
import { drawSpot, PAGES, slotsIn } from './pages.ts';

const INSTANT = new Int32Array(new SharedArrayBuffer(4));

export interface Watcher {
  /** Until it is told to stop. */
  watch(rng: Random, stop: AbortSignal): Promise<void>;
  lookAtAll(): void;
  readonly looks: number;
  /** How often a file had no name: only while it is put back, for an instant. */
  readonly missed: number;
}

/** `mayGo`: such marks may go again. */
export function watchPages(
  root: string,
  mayGo: (mark: string) => boolean,
  blame: (what: string) => void,
): Watcher {
  const seen = new Map<string, ReadonlySet<string>>();
  let looks = 0;
  let missed = 0;

  const look = (path: string): void => {
    looks += 1;
    try {
      const marks = new Set(slotsIn(path, readTwice(join(root, path))).flat());
      const gone = [...(seen.get(path) ?? [])].filter((mark) => !marks.has(mark) && !mayGo(mark));
      seen.set(path, marks);
      if (gone.length > 0) blame(`lost: ${path} had ${gone.join(', ')}`);
    } catch (error) {
      blame((error as Error).message);
    }
  };

  const readTwice = (path: string): string => {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      missed += 1;
      Atomics.wait(INSTANT, 0, 0, 5);
      return readFileSync(path, 'utf8');
    }
  };

  return {
    async watch(rng, stop) {
      while (!stop.aborted) {
        look(drawSpot(rng).path);
        await sleep(5);
      }
    },
    lookAtAll: () => PAGES.forEach(look),
    get looks() {
      return looks;
    },
    get missed() {
      return missed;
    },
  };
}
