/**
 * Which of a project's settings the user has trusted: kept outside every project, by its path and a hash of each value. Each
 * value has a file of its own, so that several processes can add theirs at once, and the old value stays trusted while it is
 * replaced.
 */
import { hash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { ensureDir, removeTree, replaceFile } from '../system/files.ts';
import { lstat, realpath } from '../system/io.ts';
import { userDir } from '../system/user/user-dir.ts';
import { type Risk, trustRule } from './needs-trust.ts';
import { settingAt } from './settings.ts';
import type { Environment } from './types.ts';

/** A setting of the project's file that has no effect yet. */
export interface Waiting {
  readonly key: string;
  readonly value: unknown;
  readonly risk: Risk;
}

interface Trust {
  /** Whether this value of the project's file may take effect; values that need trust do not without the trust file. */
  isTrusted(key: string, value: unknown): boolean;
}

export function trustIn(project_dir: string, env: Environment): Trust {
  let dir: string | null | undefined;
  return {
    isTrusted: (key, value) => {
      if (dir === undefined) dir = dirOf(project_dir, env);
      return dir !== null && lstat(join(dir, mark(key, value)))?.isFile() === true;
    },
  };
}

/** Trusts these values from now on; false if there is no private directory to remember it in. */
export function trustSettings(
  project_dir: string,
  settings: readonly Pick<Waiting, 'key' | 'value'>[],
  env: Environment,
): boolean {
  const needed = settings.filter(({ key, value }) => trustRule(key)?.needed(value, project_dir));
  if (needed.length === 0) return true;
  const dir = dirOf(project_dir, env);
  if (dir === null) return false;
  ensureDir(dir, 0o700);
  for (const { key, value } of needed) {
    const note = { project: canonicalPath(project_dir), key };
    replaceFile(join(dir, mark(key, value)), Buffer.from(`${JSON.stringify(note, null, 2)}\n`));
  }
  return true;
}

/** Withdraws all trust in this project. */
export function forgetTrust(project_dir: string, env: Environment): void {
  const dir = dirOf(project_dir, env);
  if (dir !== null) removeTree(dir);
}

/** The value as it may be shown: with passwords masked. */
export function shownValue(key: string, value: unknown): unknown {
  return settingAt(key)?.secret ? masked(value) : value;
}

/** The text with the password of a URL masked; masked entirely if it is not a URL. */
function masked(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (!URL.canParse(value)) return '***';
  const url = new URL(value);
  if (url.password) url.password = '***';
  if (url.searchParams.has('password')) url.searchParams.set('password', '***');
  return url.href;
}

function dirOf(project_dir: string, env: Environment): string | null {
  const dir = userDir('trust', env);
  return dir === null ? null : join(dir, hash('sha256', canonicalPath(project_dir)));
}

function canonicalPath(project_dir: string): string {
  return realpath(project_dir) ?? resolve(project_dir);
}

function mark(key: string, value: unknown): string {
  return hash('sha256', `${key}\0${JSON.stringify(value)}`);
}
