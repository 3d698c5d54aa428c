/** The store's directory: creates it, and refuses one that is not a store. */
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { StoreError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { fileSystemOf } from '../../system/disk.ts';
import {
  ensureDir,
  namesIn,
  readIfExists,
  removeIfExists,
  removeTree,
  replaceFile,
  syncDir,
} from '../../system/files.ts';
import { keepFromCleaning, keepOutOfGit } from '../../system/git/out-of-git.ts';
import { newId } from '../../system/ids.ts';
import * as io from '../../system/io.ts';
import { jsonIn } from '../../system/json.ts';
import { refuseLinks } from '../../system/own-files.ts';
import { JSON_NAMES } from '../store-files.ts';
import { type Layout, layoutOf } from './layout.ts';
import { damaged } from './lines/log.ts';
import { writtenByNewer } from './scope.ts';

const STORE_VERSION = 1;

const storeSchema = z.object({
  format: z.literal('vibe-engine-json'),
  version: z.int().positive(),
  id: z.string(),
  created_at: z.string(),
  /** Whether names that differ in case are different files here. */
  case_sensitive: z.boolean(),
});

export function openRoot(root: string, allowNetwork: boolean): Layout {
  if (io.lstat(root)?.isFile())
    throw foreign(root, phrase`${root} is a file.`, phrase`Name a directory for the store.`);
  ensureDir(root);
  refuseNetwork(root, allowNetwork);
  const storeFile = join(root, 'store.json');
  refuseLinks(JSON_NAMES.map((name) => join(root, name)));
  const bytes = readIfExists(storeFile) ?? createStore(root, storeFile);
  keepFromCleaning(root);
  return layoutOf(root, checkStore(storeFile, bytes).case_sensitive);
}

/** Removes what a crash left half removed. The directory stays: an owner may be about to move its task there. */
export function emptyTrash(layout: Layout): void {
  for (const { name } of namesIn(layout.trashDir)) removeTree(join(layout.trashDir, name));
}

/** Removed with one rename; the bytes follow. */
export function removeTaskFiles(layout: Layout, task: string): boolean {
  const dir = layout.taskDir(task);
  if (!io.lstat(dir)) return false;
  ensureDir(layout.trashDir);
  const trash = join(layout.trashDir, newId('x'));
  io.rename(dir, trash);
  syncDir(layout.tasksDir);
  removeTree(trash);
  return true;
}

function createStore(root: string, storeFile: string): Buffer {
  if (namesIn(join(root, 'tasks')).length > 0) {
    throw remakeable(root, storeFile, phrase`${root} has tasks but no store.json.`);
  }
  // Only a directory of our own is kept out of git: an existing one with other files in it may be the project.
  if (namesIn(root).length === 0) keepOutOfGit(root);
  return describeStore(root, storeFile);
}

function describeStore(root: string, storeFile: string): Buffer {
  const store = {
    format: 'vibe-engine-json',
    version: STORE_VERSION,
    id: newId('s'),
    created_at: new Date().toISOString(),
    case_sensitive: isCaseSensitive(root),
  };
  const bytes = Buffer.from(`${JSON.stringify(store, null, 2)}\n`);
  // The directory may be a leftover of a process that died before its name was synced.
  syncDir(dirname(root));
  replaceFile(storeFile, bytes);
  return bytes;
}

function isCaseSensitive(root: string): boolean {
  const probe = join(root, `.${newId('probe')}`);
  replaceFile(probe, Buffer.alloc(0));
  try {
    return io.lstat(probe.replace('.probe', '.PROBE')) === null;
  } finally {
    removeIfExists(probe);
  }
}

export function checkStore(storeFile: string, bytes: Uint8Array): z.infer<typeof storeSchema> {
  const parsed = storeSchema.safeParse(jsonIn(Buffer.from(bytes).toString('utf8')));
  if (!parsed.success) {
    const message = phrase`${storeFile} is not the description of a vibe-engine store.`;
    const root = dirname(storeFile);
    if (namesIn(join(root, 'tasks')).length > 0) throw remakeable(root, storeFile, message);
    throw foreign(storeFile, message, phrase`Restore the file from a backup, or use another directory.`);
  }
  if (parsed.data.version > STORE_VERSION) throw writtenByNewer(storeFile, parsed.data.version);
  return parsed.data;
}

/** Creates the description of a store again if the rest exists. Returns where the damaged one is kept, if there was one. */
export function remakeStore(root: string): string | null {
  const storeFile = join(root, 'store.json');
  const bytes = readIfExists(storeFile);
  const aside = bytes ? join(root, `damaged-${newId('d')}`) : null;
  if (bytes && aside) {
    ensureDir(aside);
    replaceFile(join(aside, 'store.json.copy'), bytes); // No record of a category.
  }
  describeStore(root, storeFile);
  return aside;
}

/** Whether there are tasks but no description of the store: everything else is as it was. */
function remakeable(root: string, path: string, message: string): StoreError {
  return new StoreError('STORE_FOREIGN', message, {
    data: { path, remake: root },
    hint: phrase`Everything else may be intact. To create it again: vibe-engine doctor --repair. To use another directory, set persistence.base_dir.`,
  });
}

function refuseNetwork(root: string, allowed: boolean): void {
  const kind = fileSystemOf(root);
  if (allowed || !kind.network) return;
  throw new StoreError(
    'STORE_UNSAFE',
    phrase`${root} is on a network file system (${kind.name}), where locks and syncs may not hold.`,
    {
      data: { root, file_system: kind.name },
      hint: phrase`Use a local directory (the setting persistence.path), or PostgreSQL for several machines.`,
    },
  );
}

function foreign(path: string, message: string, hint: string): StoreError {
  return new StoreError('STORE_FOREIGN', message, { data: { path }, hint });
}

/** Above the numbers of every task that was removed: they are not used again when a task of that id is created again. */
export function readFloor(layout: Layout): number {
  const text = readIfExists(layout.floorFile)?.toString('utf8');
  if (text === undefined) return 0;
  if (!/^\d{1,15}\n$/.test(text)) throw damaged(layout.floorFile, 0, phrase`it is not a number`);
  return Number(text);
}

export function raiseFloor(layout: Layout, to: number): void {
  if (to > readFloor(layout)) replaceFile(layout.floorFile, Buffer.from(`${to}\n`));
}
