/** Which files belong to a local store, however its path is written. */
import { basename, dirname, join, resolve } from 'node:path';
import { namesIn, readIfExists, replaceFile } from '../system/files.ts';
import { isOwnIgnore } from '../system/git/out-of-git.ts';
import * as io from '../system/io.ts';
import { besideDatabase } from '../system/own-files.ts';
import type { StoreFiles } from './contract.ts';

/** A database with its lock files; a link to it counts, too, because SQLite writes next to its target. */
export function databaseFiles(path: string, locks: string): StoreFiles[] {
  const places = [...new Set([realPath(path), join(realPath(dirname(path)), basename(path))])];
  const rules = places.filter(isIgnoredBeside).map(ruleFileBeside);
  return [
    ...places.map((file) => ({ path: file, kind: 'database' as const })),
    ...[realPath(locks), ...rules].map((one) => ({ path: one, kind: 'directory' as const })),
  ];
}

export function jsonFiles(root: string): StoreFiles[] {
  const ignoresAll = isOwnIgnore(readIfExists(join(root, '.gitignore'))?.toString());
  return [{ path: realPath(root), kind: ignoresAll ? 'directory' : 'json' }];
}

/** Whether a file in the directory of a database is the store's, by its name. */
export function isOfDatabase(path: string, name: string): boolean {
  const own = basename(path);
  if (!name.startsWith(own)) return false;
  return [path, ...besideDatabase(path), `${path}-locks`].some((file) => basename(file) === name);
}

/** The same for a path inside a JSON store's directory, with forward slashes. */
export function isOfJsonStore(inside: string): boolean {
  const [first = '', ...below] = inside.split('/');
  if (JSON_NAMES.includes(first) || /^damaged-\d{4}-/.test(first)) return true;
  const name = below.at(-1) ?? first;
  if (below.length === 0) return JSON_NAMES.some((own) => isTemporaryFor(own, name));
  return JSON_CATEGORIES.includes(first) && /\.json$|^\..*\.[0-9a-f]{12}\.tmp$/.test(name);
}

/** As lines of a .gitignore, relative to the store's directory. */
export function ignoreLines(kind: 'database' | 'json', name: string): string[] {
  if (kind === 'database') return [name, `${name}-*`];
  return [...JSON_NAMES, 'damaged-*', ...JSON_CATEGORIES.map((category) => `${category}/**/*.json`)];
}

export const JSON_NAMES: readonly string[] = [
  ...['store.json', 'records.log', 'records.index', 'numbers.floor'],
  ...['tasks', 'blobs', 'context', 'locks', 'trash'],
];

/** Of records outside tasks, in directories that may have files of the project. */
const JSON_CATEGORIES: readonly string[] = [
  ...['cleanup', 'config', 'conversation', 'forks', 'history', 'inbox', 'keys', 'questions'],
  ...['queue', 'reservations', 'resolutions', 'restores', 'sessions', 'snapshots', 'state', 'workspaces'],
];

const OWN_IGNORE = '# The store of vibe-engine keeps itself out of git.\n';

/**
 * Keeps a database out of git with a .gitignore next to it, for a directory that holds nothing else; new files stay visible.
 */
export function ignoreBeside(path: string): void {
  const lines = ['.gitignore', ...ignoreLines('database', basename(path))].map((line) => `/${line}\n`);
  const file = ruleFileBeside(path);
  if (!io.lstat(file)) replaceFile(file, Buffer.from(OWN_IGNORE + lines.join('')));
}

/** Also under `base_dir`, where the directory is made for the store. */
export function isIgnoredBeside(path: string): boolean {
  const text = readIfExists(ruleFileBeside(path))?.toString() ?? '';
  return text.startsWith(OWN_IGNORE) || (isOwnIgnore(text) && basename(path) === 'persistence.db');
}

/** Whether the directory of a database has nothing but the store's files. */
export function isAlone(path: string): boolean {
  return namesIn(dirname(path)).every(
    ({ name }) => isOfDatabase(path, name) || (name === '.gitignore' && isIgnoredBeside(path)),
  );
}

function ruleFileBeside(path: string): string {
  return join(dirname(path), '.gitignore');
}

/** Works for paths that do not exist yet, too. */
function realPath(path: string): string {
  const full = resolve(path);
  return io.realpath(full) ?? (dirname(full) === full ? full : join(realPath(dirname(full)), basename(full)));
}

function isTemporaryFor(own: string, name: string): boolean {
  return name.startsWith(`.${own}.`) && /^[0-9a-f]{12}\.tmp$/.test(name.slice(own.length + 2));
}
