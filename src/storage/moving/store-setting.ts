/** Where a store is moved to: next to the old one, under a name that says what it is. Pure. */
import { basename, dirname, extname, isAbsolute, join, relative, sep } from 'node:path';
import type { PersistenceConfig } from '../../config/types.ts';
import { jsonPath, type PathContext, sqlitePath } from '../paths.ts';
import type { Direction, Note } from './mark.ts';

/** The setting that names a place, as it is written to a file of settings. */
export type StoreSetting = Note['from'];

const WORDS: Readonly<Record<Direction, string>> = { encrypt: 'sealed', decrypt: 'plain' };
const LONGEST_SCHEMA = 63;

/** Null for a user's own back end: we do not know how to create a second one. */
export function settingOfStore(persistence: PersistenceConfig, context: PathContext): StoreSetting | null {
  switch (persistence.storage_type) {
    case 'json':
      return { name: 'path', value: asSetting(jsonPath(persistence, context).path, context) };
    case 'sqlite':
      return { name: 'path', value: asSetting(sqlitePath(persistence, context).path, context) };
    case 'postgres':
      return { name: 'schema', value: persistence.schema };
    default:
      return null;
  }
}

/** The n-th candidate name for the new store. */
export function settingBeside(
  persistence: PersistenceConfig,
  context: PathContext,
  direction: Direction,
  n: number,
): StoreSetting {
  const word = WORDS[direction];
  if (persistence.storage_type === 'postgres') {
    const end = n === 1 ? `_${word}` : `_${word}_${n}`;
    return { name: 'schema', value: stemOf(persistence.schema).slice(0, LONGEST_SCHEMA - end.length) + end };
  }
  const end = n === 1 ? word : `${word}-${n}`;
  const isFile = persistence.storage_type === 'sqlite';
  const path = isFile ? sqlitePath(persistence, context).path : jsonPath(persistence, context).path;
  const ending = isFile ? extname(path) : '';
  const stem = stemOf(basename(path, ending));
  // A project's own directory holds more than the store; names with a leading dot are not categories.
  if (!isFile && stem === OWN) return { name: 'path', value: asSetting(join(path, `.${end}`), context) };
  const name = stem === '' ? `.${end}` : `${stem}-${end}`;
  return { name: 'path', value: asSetting(join(dirname(path), name + ending), context) };
}

const OWN = '.vibe-engine';

/** Without what an earlier move added. */
function stemOf(name: string): string {
  return name.replace(/[-_.]?(?:sealed|plain)(?:[-_]\d+)?$/, '');
}

/** Relative in the project, with `~` in the home directory: a project that is moved takes its settings along. */
function asSetting(path: string, { project_dir, home }: PathContext): string {
  for (const [from, before] of [
    [project_dir, ''],
    [home, '~/'],
  ] as const) {
    const inside = relative(from, path);
    if (inside !== '' && !inside.startsWith('..') && !isAbsolute(inside))
      return before + inside.split(sep).join('/');
  }
  return path;
}
