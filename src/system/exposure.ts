/** Which parts of a directory users other than its owner can reach, by file mode. Windows has no modes. */

import { dirname, join, resolve } from 'node:path';
import { namesIn } from './files.ts';
import * as io from './io.ts';
import { platform } from './platform.ts';

const ENTER = 0o011;
const ANYTHING = 0o077;
const ANYONE_WRITES = 0o002;
/** Enough to show that something is wrong. */
const MOST_NAMED = 20;

/**
 * The paths in a directory that others can read or change; the directory itself only if anyone may write to it, because
 * entering it does no harm while everything in it is closed. `deep`: at all levels, otherwise only directly in it.
 */
export function openToOthers(
  dir: string,
  { deep, passOver = [] }: { readonly deep: boolean; readonly passOver?: readonly string[] },
): string[] {
  const found: string[] = [];
  const stat = platform.windows || !isReachable(dirname(resolve(dir))) ? null : io.lstat(dir);
  if (!stat?.isDirectory() || (stat.mode & ENTER) === 0) return found;
  if (stat.mode & ANYONE_WRITES) found.push(dir);
  const look = (inside: string, skipped: readonly string[]): void => {
    for (const { name } of namesIn(inside)) {
      if (found.length >= MOST_NAMED) return;
      const path = join(inside, name);
      const there = skipped.includes(name) ? null : io.lstat(path);
      if (!there || there.isSymbolicLink() || (there.mode & ANYTHING) === 0) continue;
      found.push(path);
      if (deep && there.isDirectory() && there.mode & ENTER) look(path, []);
    }
  };
  look(dir, passOver);
  return found;
}

/** The same for single files. */
export function openFiles(paths: readonly string[]): string[] {
  if (platform.windows) return [];
  return paths.filter((path) => {
    const mode = io.lstat(path)?.mode ?? 0;
    return (mode & ANYTHING) !== 0 && isReachable(dirname(resolve(path)));
  });
}

/** Whether others can reach this directory. */
export function isReachable(dir: string): boolean {
  const mode = io.lstat(dir)?.mode ?? 0;
  return (mode & ENTER) !== 0 && (dirname(dir) === dir || isReachable(dirname(dir)));
}
