/**
 * `fs.watch` of whole trees on Linux, as macOS and Windows have it: every path below is told of, in order. Node's own for Linux
 * watches each file it has found by itself and loses those that are saved by renaming; what it cannot do the kernel can.
 */
import fs, { type Dirent, type FSWatcher, type WatchListener } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';

const nodes = fs.watch;

/** For the tests of this file or `describe`, where the system has no such watch itself. */
export function withTreeWatch(): void {
  if (process.platform !== 'linux') return;
  beforeAll(() => use(asTree as typeof fs.watch));
  afterAll(() => use(nodes));
}

function use(watch: typeof fs.watch): void {
  fs.watch = watch;
  syncBuiltinESMExports();
}

function asTree(root: string, options: fs.WatchOptions, tell: WatchListener<string>): FSWatcher {
  if (!options.recursive) return nodes(root, { persistent: false }, tell);
  const watchers = new Map<string, FSWatcher>();

  const leave = (path: string): void => {
    for (const [below, watcher] of watchers) {
      if (path !== '' && below !== path && !below.startsWith(`${path}/`)) continue;
      watcher.close();
      watchers.delete(below);
    }
  };

  const enter = (path: string, isNew: boolean): void => {
    let found: Dirent[];
    try {
      const watcher = nodes(join(root, path), { persistent: false }, (kind, name) => {
        const inside = join(path, name ?? '');
        tell(kind, inside);
        if (kind !== 'rename') return;
        leave(inside);
        if (isDirectory(join(root, inside))) enter(inside, true);
      });
      watcher.on('error', () => {});
      watchers.set(path, watcher);
      found = fs.readdirSync(join(root, path), { withFileTypes: true });
    } catch {
      return; // It is gone again, which is told of by the directory it was in.
    }
    for (const entry of found) {
      const inside = join(path, entry.name);
      if (isNew) tell('rename', inside);
      if (entry.isDirectory()) enter(inside, isNew);
    }
  };

  enter('', false);
  const top = watchers.get('')!;
  const close = top.close.bind(top);
  top.close = () => {
    watchers.delete('');
    leave('');
    close();
  };
  return top;
}

function isDirectory(path: string): boolean {
  try {
    return fs.lstatSync(path).isDirectory();
  } catch {
    return false;
  }
}
