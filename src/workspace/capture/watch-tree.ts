/** One watch for all of a workspace, where the system tells of whole trees: macOS and Windows. */
import { relative, sep } from 'node:path';
import * as io from '../../system/io.ts';
import { platform } from '../../system/platform.ts';
import { nameProblem } from '../tree/names.ts';
import { openCookies } from './cookies.ts';
import type { Watcher, WatchListener } from './watcher.ts';

/** macOS has one stream for all watches of a process and begins it again whenever there is one more or less. */
const others = new Set<() => void>();

/** Windows may tell of a file by the short name that it made for it. */
const SHORT = /~\d/;

/** The cookies lie in the tree: what comes before one in the same stream has happened before it. */
export function watchTree(root: string, cookieDir: string, { note, distrust }: WatchListener): Watcher {
  const cookies = openCookies(cookieDir, { touched: false });
  const cookiesAt = `${relative(root, cookieDir)}${sep}`;
  let stop: (() => void) | null = null;

  const told = (kind: 'rename' | 'change', path: string | null): void => {
    if (path?.startsWith(cookiesAt)) cookies.told(path.slice(cookiesAt.length));
    else if (path === null || (platform.windows && SHORT.test(path))) note('', kind, null);
    else {
      const parts = path.split(sep);
      const name = parts.pop()!;
      // What is git's and ours is passed over by the name of its directory.
      note(parts.join('/'), kind, parts.find(nameProblem) ?? name);
    }
  };

  const close = (): void => {
    if (!stop) return;
    others.delete(distrust);
    stop();
    stop = null;
    for (const lose of others) lose();
  };

  return {
    entering() {},
    replaced() {},
    async restart() {
      if (!stop) {
        for (const lose of others) lose();
        others.add(distrust);
        try {
          stop = io.watch(root, { tree: true }, told, () => {
            distrust();
            close();
          });
        } catch (error) {
          others.delete(distrust);
          if (io.errnoOf(error) === undefined) throw error;
          return false;
        }
      }
      return cookies.seenAtLast();
    },
    caughtUp: () => cookies.seen(),
    close() {
      close();
      cookies.close();
    },
  };
}
