/** The key files of projects: next to the user's own settings, numbered for each project. */
import { hash, randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { userConfigFile } from '../../config/layers.ts';
import type { EncryptionConfig } from '../../config/types.ts';
import { ensureDir } from '../../system/files.ts';
import { errnoOf, lstat } from '../../system/io.ts';
import { writeParts } from '../../system/streams.ts';

/** The settings of a key in a file. */
export function keyInFile(key_file: string): EncryptionConfig {
  return { enabled: true, key_from: 'file', key_file, key_command: null };
}

/** The project's newest key file; a first one if it has none. */
export function currentKeyFile(project_dir: string): string {
  return keyFiles(project_dir).at(-1) ?? nthFile(project_dir, 1);
}

/** One that does not exist yet. */
export function nextKeyFile(project_dir: string): string {
  return nthFile(project_dir, keyFiles(project_dir).length + 1);
}

/** Those that exist, the oldest first. */
export function keyFiles(project_dir: string): string[] {
  const files: string[] = [];
  for (let n = 1; ; n++) {
    const file = nthFile(project_dir, n);
    if (!lstat(file)) return files;
    files.push(file);
  }
}

function nthFile(project_dir: string, n: number): string {
  const name = `${basename(project_dir) || 'root'}-${hash('sha256', project_dir).slice(0, 8)}`;
  const dir = join(dirname(userConfigFile({ env: process.env, home: homedir() })), 'keys');
  return join(dir, n === 1 ? `${name}.key` : `${name}-${n}.key`);
}

/** Creates the key file if it is missing; of several processes that do so at once, one does it for all. */
export async function makeKeyFile({ key_file }: Pick<EncryptionConfig, 'key_file'>): Promise<void> {
  if (key_file === null || lstat(key_file)) return;
  ensureDir(dirname(key_file), 0o700);
  try {
    await writeParts(key_file, oneKey(), { replace: false });
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}

async function* oneKey(): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${randomBytes(32).toString('hex')}\n`);
}
