/**
 * A directory of the user's own, outside every project: for data that a project from elsewhere, or another user of the
 * machine, must not be able to plant, copy or read.
 */

import { homedir } from 'node:os';
import { join } from 'node:path';
import * as io from '../io.ts';
import { platform } from '../platform.ts';

/** Private to the user, and created if missing; null if no safe one exists. */
export function userDir(name: string, env: NodeJS.ProcessEnv = process.env): string | null {
  try {
    const base = stateDir(env);
    if (base === null) return null;
    makeParents(base);
    const dir = join(base, name);
    return isPrivate(base) && isPrivate(dir) ? dir : null;
  } catch {
    return null; // No home, or one that cannot be written to.
  }
}

/** `$VIBE_ENGINE_STATE_DIR`, else where the platform keeps what programs remember for a user. */
function stateDir(env: NodeJS.ProcessEnv): string | null {
  if (env.VIBE_ENGINE_STATE_DIR) return env.VIBE_ENGINE_STATE_DIR;
  const home = homedir();
  if (home === '') return null;
  if (platform.windows) return join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), NAME);
  if (platform.name === 'darwin') return join(home, 'Library', 'Application Support', NAME);
  return join(env.XDG_STATE_HOME || join(home, '.local', 'state'), NAME);
}

const NAME = 'vibe-engine';

function makeParents(path: string): void {
  if (io.lstat(path)) return;
  makeParents(join(path, '..'));
  make(path);
}

function make(path: string): void {
  try {
    io.mkdir(path, 0o700);
  } catch (error) {
    if (io.errnoOf(error) !== 'EEXIST') throw error;
  }
}

/** Whether it is a directory, not a link, that belongs to this user and that nobody else may enter. */
function isPrivate(dir: string): boolean {
  if (!io.lstat(dir)) make(dir);
  const found = io.lstat(dir)!;
  if (!found.isDirectory()) return false;
  if (platform.windows) return true;
  return found.uid === process.getuid!() && (found.mode & 0o077) === 0;
}
