/** What others than its owner can reach of a directory, by its modes. Windows has none. */

import { dirname, join, resolve } from 'node:path';
import { namesIn } from './files.ts';
import * as io from './io.ts';
import { platform } from './platform.ts';

const ENTER = 0o011;
const ANYTHING = 0o077;
const ANYONE_WRITES = 0o002;
/** Enough to say that something is wrong. */
const MOST_NAMED = 20;

/**
 * The paths in a directory that others can read or change; the directory itself only where anyone may write to it, since
 * that it can be entered harms nobody while all in it is closed. `deep`: also below, else only what lies in it.
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

/** The same of single files. */
export function openFiles(paths: readonly string[]): string[] {
  if (platform.windows) return [];
  return paths.filter((path) => {
    const mode = io.lstat(path)?.mode ?? 0;
    return (mode & ANYTHING) !== 0 && isReachable(dirname(resolve(path)));
  });
}

/** Whether others can come as far as this directory. */
export function isReachable(dir: string): boolean {
  const mode = io.lstat(dir)?.mode ?? 0;
  return (mode & ENTER) !== 0 && (dirname(dir) === dir || isReachable(dirname(dir)));
}
