/**
 * A directory of the user's own, outside every project: for data that a project from elsewhere, or another user of the
 * machine, must not be able to plant, copy or read.
 */

import { homedir } from 'node:os';
import { join } from 'node:path';
import * as io from '../io.ts';
import { platform } from '../platform.ts';

/** Private to the user, and created if missing; null if no safe one exists. For what programs remember. */
export function userDir(name: string, env: NodeJS.ProcessEnv = process.env): string | null {
  return privateDir(name, homeOf(env, 'XDG_STATE_HOME', 'state'));
}

/** The same for what programs install: it must last as long as what refers to it. */
export function userDataDir(name: string, env: NodeJS.ProcessEnv = process.env): string | null {
  return privateDir(name, userDataHome(env));
}

/** Where it is, or would be. */
export function userDataHome(env: NodeJS.ProcessEnv = process.env): string | null {
  return homeOf(env, 'XDG_DATA_HOME', 'share');
}

function privateDir(name: string, base: string | null): string | null {
  if (base === null) return null;
  return io.unlessRefused(() => {
    makeParents(base);
    const dir = join(base, name);
    return isPrivate(base) && isPrivate(dir) ? dir : null;
  }, null); // A home that cannot be written to.
}

/** `$VIBE_ENGINE_STATE_DIR`, else where the platform keeps such files of a user. */
function homeOf(env: NodeJS.ProcessEnv, variable: string, name: string): string | null {
  if (env.VIBE_ENGINE_STATE_DIR) return env.VIBE_ENGINE_STATE_DIR;
  const home = homedir();
  if (home === '') return null;
  if (platform.windows) return join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), NAME);
  if (platform.name === 'darwin') return join(home, 'Library', 'Application Support', NAME);
  return join(env[variable] || join(home, '.local', name), NAME);
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
