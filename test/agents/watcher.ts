/** Looks at the shared files again and again: each is whole at every instant, and no mark that was there is ever gone. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../crash/random.ts';
import { drawSpot, PAGES, slotsIn } from './pages.ts';

export interface Watcher {
  /** Until it is told to stop. */
  watch(rng: Random, stop: AbortSignal): Promise<void>;
  lookAtAll(): void;
  readonly looks: number;
}

/** `mayGo`: such marks may go again. */
export function watchPages(
  root: string,
  mayGo: (mark: string) => boolean,
  blame: (what: string) => void,
): Watcher {
  const seen = new Map<string, ReadonlySet<string>>();
  let looks = 0;

  const look = (path: string): void => {
    looks += 1;
    try {
      const marks = new Set(slotsIn(path, readFileSync(join(root, path), 'utf8')).flat());
      const gone = [...(seen.get(path) ?? [])].filter((mark) => !marks.has(mark) && !mayGo(mark));
      seen.set(path, marks);
      if (gone.length > 0) blame(`lost: ${path} had ${gone.join(', ')}`);
    } catch (error) {
      blame((error as Error).message);
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
  };
}
