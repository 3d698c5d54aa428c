/** What a person has trusted of a project's settings: kept outside every project, by its path and a hash of each value. */
import { hash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { readIfExists, replaceFile } from '../system/files.ts';
import { realpath, unlink } from '../system/io.ts';
import { userDir } from '../system/user-dir.ts';
import { type Risk, trustRule } from './needs-trust.ts';
import { settingAt } from './settings.ts';
import type { Environment } from './types.ts';

/** A setting of the project's file that is not in force. */
export interface Waiting {
  readonly key: string;
  readonly value: unknown;
  readonly risk: Risk;
}

export interface Trust {
  /** Whether these values of the project's file may count; without the file of trust, none that needs it. */
  isTrusted(key: string, value: unknown): boolean;
}

/** Read when it is first asked. */
export function trustIn(project_dir: string, env: Environment): Trust {
  let known: Readonly<Record<string, string>> | undefined;
  return {
    isTrusted: (key, value) => {
      known ??= read(project_dir, env);
      return Object.hasOwn(known, key) && known[key] === mark(key, value);
    },
  };
}

/** The keys of what was trusted in this project, whether it is still set or not. */
export function trustedKeys(project_dir: string, env: Environment): string[] {
  return Object.keys(read(project_dir, env));
}

/** From now on these values count; false where there is no private directory to remember it in. */
export function trustSettings(
  project_dir: string,
  settings: readonly Pick<Waiting, 'key' | 'value'>[],
  env: Environment,
): boolean {
  const needed = settings.filter(({ key, value }) => trustRule(key)?.needed(value, project_dir));
  if (needed.length === 0) return true;
  const file = fileOf(project_dir, env);
  if (file === null) return false;
  const marks = Object.fromEntries(needed.map(({ key, value }) => [key, mark(key, value)]));
  const trusted = { ...read(project_dir, env), ...marks };
  const note = { project: placeOf(project_dir), settings: trusted };
  replaceFile(file, Buffer.from(`${JSON.stringify(note, null, 2)}\n`));
  return true;
}

/** Nothing of this project is trusted any more. */
export function forgetTrust(project_dir: string, env: Environment): void {
  const file = fileOf(project_dir, env);
  if (file !== null && readIfExists(file, MAX_BYTES)) unlink(file);
}

/** What may be shown of a value: a password in it is masked. */
export function shownValue(key: string, value: unknown): unknown {
  return settingAt(key)?.secret ? masked(value) : value;
}

/** The text with the password of a URL masked; all of it where it is no URL. */
function masked(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (!URL.canParse(value)) return '***';
  const url = new URL(value);
  if (url.password) url.password = '***';
  if (url.searchParams.has('password')) url.searchParams.set('password', '***');
  return url.href;
}

const MAX_BYTES = 1024 * 1024;

function read(project_dir: string, env: Environment): Readonly<Record<string, string>> {
  const file = fileOf(project_dir, env);
  try {
    const bytes = file === null ? null : readIfExists(file, MAX_BYTES);
    const { project, settings } = JSON.parse(bytes?.toString('utf8') ?? '{}') as Record<string, unknown>;
    const usable = project === placeOf(project_dir) && typeof settings === 'object' && settings !== null;
    return usable ? (settings as Record<string, string>) : {};
  } catch {
    return {}; // What cannot be read trusts nothing.
  }
}

function fileOf(project_dir: string, env: Environment): string | null {
  const dir = userDir('trust', env);
  return dir === null ? null : join(dir, `${hash('sha256', placeOf(project_dir))}.json`);
}

function placeOf(project_dir: string): string {
  return realpath(project_dir) ?? resolve(project_dir);
}

function mark(key: string, value: unknown): string {
  return hash('sha256', `${key}\0${JSON.stringify(value)}`);
}
