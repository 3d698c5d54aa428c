/** A watch for each directory, where the kernel tells of one at a time, in order: Linux. */
import { join } from 'node:path';
import * as io from '../../system/io.ts';
import { joinPath } from '../tree/tree.ts';
import { openCookies } from './cookies.ts';
import type { Watcher, WatchListener } from './watcher.ts';

export function watchDirectories(root: string, cookieDir: string, told: WatchListener): Watcher {
  const cookies = openCookies(cookieDir, { touched: true });
  const stopCookies = io.watch(cookieDir, { tree: false }, (_, name) => cookies.told(name), cookies.fail);
  const watchers = new Map<string, () => void>();
  let isClosed = false;

  const enter = (path: string): void => {
    if (isClosed || watchers.has(path)) return;
    try {
      const note = (kind: 'rename' | 'change', name: string | null) => told.note(path, kind, name);
      watchers.set(path, io.watch(join(root, path), { tree: false }, note, told.distrust));
    } catch (error) {
      // One that is gone is told of by the directory it was in; one that cannot be reached is not captured. With no
      // watch left there is nothing to rely on.
      if (!['ENOENT', 'ENOTDIR', 'EACCES', 'ENAMETOOLONG'].includes(io.errnoOf(error) ?? '')) told.giveUp();
    }
  };

  const leave = (path: string): void => {
    watchers.get(path)?.();
    watchers.delete(path);
  };

  const leaveAll = (): void => {
    for (const path of [...watchers.keys()]) leave(path);
  };

  return {
    entering: enter,
    /** A directory that came, went or was replaced is not the one that is watched, nor are those in it. */
    replaced(changed) {
      for (const [directory, names] of changed) {
        for (const [name, isReplaced] of names) {
          const path = joinPath(directory, name);
          if (!isReplaced || !watchers.has(path)) continue;
          for (const below of [...watchers.keys()]) {
            if (below === path || below.startsWith(`${path}/`)) leave(below);
          }
        }
      }
    },
    async restart(directories) {
      leaveAll();
      for (const path of directories) enter(path);
      return true;
    },
    caughtUp: () => cookies.seen(),
    close() {
      isClosed = true;
      leaveAll();
      stopCookies();
      cookies.close();
    },
  };
}
