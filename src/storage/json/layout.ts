/** Maps names of records, tasks and blobs to paths and back; pure. */

import { join } from 'node:path';
import { InvalidInputError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { platform } from '../../system/platform.ts';
import { isTaskId } from '../keys.ts';

export interface Layout {
  readonly root: string;
  readonly storeFile: string;
  readonly sharedLog: string;
  readonly sharedIndex: string;
  readonly floorFile: string;
  readonly tasksDir: string;
  readonly locksDir: string;
  readonly trashDir: string;
  /** Where the newest fence of a task is, while it is owned. */
  fence(task: string): { readonly dir: string; readonly name: string };
  /** The marks of claims whose blobs may not all be in synced files (see unsynced.ts), and the task of one. */
  readonly unsyncedDir: string;
  unsyncedMark(task: string, fence: number): string;
  taskOfMark(name: string): { readonly task: string; readonly fence: number } | null;
  taskDir(task: string): string;
  taskLog(task: string): string;
  taskIndex(task: string): string;
  recordFile(category: string, key: string): string;
  /** The directory of a category; a record's path in it, back to its key, or null for a file that is no record. */
  categoryDir(category: string): string;
  keyOf(pathInCategory: string): string | null;
  blobDir(task: string | null, kind: string): string;
  /** The directories with the blobs of a task (or of the store). */
  blobRoots(task: string | null): string[];
}

/** With the ending and a temporary name around it, still a name a file system takes. */
const MAX_NAME = 225;
/** A task writes the same records again and again, so their paths are kept. */
const KEPT_PATHS = 1000;
/** Kinds that SPEC puts next to the other context of a task. */
const CONTEXT_KINDS = new Set(['agent_outputs', 'tool_results']);
/** Names Windows keeps for devices. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

export function layoutOf(root: string, caseSensitive: boolean): Layout {
  const tasksDir = join(root, 'tasks');
  const encode = (segment: string) => encodeSegment(segment, caseSensitive);
  /** A case-insensitive disk needs more bytes for capitals than a name may have. */
  const encodeName = (segment: string) => {
    const name = encode(segment);
    if (Buffer.byteLength(name) <= MAX_NAME) return name;
    throw new InvalidInputError(
      'INVALID_KEY',
      phrase`The key part ${JSON.stringify(segment)} would make a file name that is too long.`,
      {
        data: { key: segment, expected: phrase`a file name of at most ${MAX_NAME} bytes` },
        hint: phrase`Use a shorter key, or fewer capitals: this disk ignores the case of names.`,
      },
    );
  };
  const recordFiles = new Map<string, string>();
  const recordFile = (category: string, key: string): string => {
    const name = `${category}/${key}`;
    const known = recordFiles.get(name);
    if (known !== undefined) return known;
    const path = join(root, category, `${key.split('/').map(encodeName).join('/')}.json`);
    if (recordFiles.size >= KEPT_PATHS) recordFiles.clear();
    recordFiles.set(name, path);
    return path;
  };
  const scopeDir = (task: string | null) => (task === null ? root : join(tasksDir, encode(task)));
  return {
    root,
    storeFile: join(root, 'store.json'),
    sharedLog: join(root, 'records.log'),
    sharedIndex: join(root, 'records.index'),
    floorFile: join(root, 'numbers.floor'),
    tasksDir,
    locksDir: join(root, 'locks'),
    trashDir: join(root, 'trash'),
    fence: (task) => ({ dir: join(root, 'locks', 'fences'), name: encode(task) }),
    unsyncedDir: join(root, 'locks', 'unsynced'),
    unsyncedMark: (task, fence) => join(root, 'locks', 'unsynced', `${encode(task)}.${fence}`),
    taskOfMark: (name) => {
      const [, encoded, fence] = /^(.+)\.(\d{1,16})$/.exec(name) ?? [];
      const task = encoded === undefined ? null : decodePath(`${encoded}.json`);
      return task !== null && isTaskId(task) ? { task, fence: Number(fence) } : null;
    },
    taskDir: (task) => join(tasksDir, encode(task)),
    taskLog: (task) => join(tasksDir, encode(task), 'journal.log'),
    taskIndex: (task) => join(tasksDir, encode(task), 'views.index'),
    categoryDir: (category) => join(root, category),
    recordFile,
    keyOf: decodePath,
    blobDir: (task, kind) => join(scopeDir(task), CONTEXT_KINDS.has(kind) ? 'context' : 'blobs', kind),
    blobRoots: (task) => [join(scopeDir(task), 'blobs'), join(scopeDir(task), 'context')],
  };
}

/** Kept readable: only characters that a file system could misread are written as %XX. */
function encodeSegment(segment: string, caseSensitive: boolean): string {
  let name = segment
    .replace(/%/g, '%25')
    .replace(/^\./, '%2E')
    .replace(/[. ]$/, percent)
    .replace(/\.json$/i, (end) => `%2E${end.slice(1)}`);
  if (DEVICE.test(name)) name = percent(name[0]!) + name.slice(1);
  if (platform.windows) name = name.replace(/[<>:"|?*]/g, percent);
  if (!caseSensitive)
    name = name.replace(/%[0-9A-F]{2}|./gsu, (c) =>
      c.length === 3 && c[0] === '%' ? c : c.toLowerCase() === c ? c : percent(c),
    );
  return name;
}

function percent(text: string): string {
  return Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(
    '',
  );
}

function decodePath(path: string): string | null {
  if (!path.endsWith('.json')) return null;
  try {
    return path
      .slice(0, -'.json'.length)
      .split('/')
      .map((segment) => decodeURIComponent(segment))
      .join('/');
  } catch {
    return null; // No name of ours has a broken escape.
  }
}
