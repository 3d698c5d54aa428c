/** The installed programs, by the names that a shell finds them by. */

import { delimiter, resolve } from 'node:path';
import { namesIn } from '../files.ts';
import { lstat, unlessRefused } from '../io.ts';
import { platform } from '../platform.ts';

/** All names that `PATH` leads to. */
export function programNames(path: string): string[] {
  const dirs = path.split(delimiter).filter((dir) => dir !== '');
  return [...new Set(dirs.flatMap((dir) => readable(dir)))];
}

/** Whether a program of that name exists; assumed on Windows, where names have several extensions. */
export function isProgram(name: string, cwd: string, path: string): boolean {
  if (platform.windows) return true;
  if (name.includes('/')) return isThere(resolve(cwd, name));
  return path.split(delimiter).some((dir) => dir !== '' && isThere(resolve(dir, name)));
}

/** Skips directories that may not be entered, as a shell does. */
function isThere(path: string): boolean {
  return unlessRefused(() => lstat(path) !== null, false);
}

/** Others may have made it unreadable. */
function readable(dir: string): string[] {
  return unlessRefused(() => namesIn(dir).map(({ name }) => name), []);
}
