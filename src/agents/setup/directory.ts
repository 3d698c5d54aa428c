/** Our files under the user's data directory: the plugins that clients refer to, and notes of what clients' files were. */
import { dirname, join, relative, sep } from 'node:path';
import { ConfigError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import {
  ensureDir,
  namesIn,
  readIfExists,
  removeIfExists,
  removeTree,
  replaceFile,
} from '../../system/files.ts';
import { userDataDir, userDataHome } from '../../system/user/user-dir.ts';
import type { Files } from './plugin/files.ts';

export function agentsDir(): string {
  const dir = userDataDir('agents');
  if (dir !== null) return dir;
  const place = userDataHome();
  const message =
    place === null
      ? phrase`There is no private directory for the files of a plugin.`
      : phrase`The files of the plugin cannot be put into ${place}: it must be writable, and closed to other users.`;
  throw new ConfigError('CONFIG_INVALID', message, {
    hint: phrase`Set XDG_DATA_HOME to a directory of your own that nobody else may enter. Nothing was changed.`,
  });
}

/** Afterwards the directory has exactly these files; those that are right already are not touched. */
export function writeDirectory(dir: string, files: Files): void {
  for (const path of filesIn(dir)) if (!(path in files)) removeIfExists(join(dir, path));
  for (const [path, text] of Object.entries(files)) {
    const file = join(dir, path);
    if (readIfExists(file)?.toString('utf8') === text) continue;
    ensureDir(dirname(file));
    replaceFile(file, Buffer.from(text), path.endsWith('.sh') ? 0o700 : 0o600);
  }
}

export function removeDirectory(dir: string): void {
  removeTree(dir);
}

export function textIn(dir: string, path: string): string | null {
  return readIfExists(join(dir, path))?.toString('utf8') ?? null;
}

/** Paths inside it, with forward slashes. */
function filesIn(dir: string, at: string = dir): string[] {
  return namesIn(at).flatMap((entry) => {
    const path = join(at, entry.name);
    return entry.isDirectory() ? filesIn(dir, path) : [relative(dir, path).split(sep).join('/')];
  });
}
