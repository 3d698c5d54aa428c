/** The programs there are, by the names a shell knows them by. */

import { delimiter, resolve } from 'node:path';
import { namesIn } from '../files.ts';
import { lstat } from '../io.ts';
import { platform } from '../platform.ts';

/** All names that `PATH` leads to. */
export function programNames(path: string): string[] {
  const dirs = path.split(delimiter).filter((dir) => dir !== '');
  return [...new Set(dirs.flatMap((dir) => readable(dir)))];
}

/** Whether there is something to start by that name; taken to be so on Windows, where names have several endings. */
export function isProgram(name: string, cwd: string, path: string): boolean {
  if (platform.windows) return true;
  if (name.includes('/')) return isThere(resolve(cwd, name));
  return path.split(delimiter).some((dir) => dir !== '' && isThere(resolve(dir, name)));
}

/** As a shell does, directories that may not be entered are passed over. */
function isThere(path: string): boolean {
  try {
    return lstat(path) !== null;
  } catch {
    return false;
  }
}

function readable(dir: string): string[] {
  try {
    return namesIn(dir).map(({ name }) => name);
  } catch {
    return []; // Others may have made it unreadable.
  }
}
