/** Files in the store's directory that nothing in the store refers to. */
import { basename, join } from 'node:path';
import { OwnershipError } from '../../errors.ts';
import { namesIn, removeIfExists, removeTree } from '../../system/files.ts';
import * as io from '../../system/io.ts';
import { listBlobs } from './blobs.ts';
import type { Layout } from './layout.ts';
import { categoryDirs, hasCommit, taskIds } from './list.ts';
import { emptyTrash, removeTaskFiles } from './root.ts';
import type { Shared } from './shared.ts';

interface Parts {
  readonly layout: Layout;
  readonly shared: Pick<Shared, 'compact'>;
  /** Excludes other processes that do the same. */
  alone<T>(run: () => T): Promise<T>;
  /** Runs while the task has no owner; TASK_OWNED if it has one. */
  rewriting<T>(task: string, fence: undefined, run: () => T): Promise<T>;
}

/** Removes all of them; returns how many bytes were freed. */
export async function compactAll({ layout, shared, alone, rewriting }: Parts): Promise<number> {
  let freed = await shared.compact();
  freed += await alone(() => {
    const trash = sizeBelow(layout.trashDir);
    emptyTrash(layout);
    return trash + removeLeftovers(layout);
  });
  for (const task of taskIds(layout).filter((id) => !hasCommit(layout, id))) {
    const bytes = sizeBelow(layout.taskDir(task));
    const remove = () => !hasCommit(layout, task) && removeTaskFiles(layout, task);
    if (await rewriting(task, undefined, remove).catch(unlessOwned)) freed += bytes;
  }
  return freed;
}

/** Its owner is about to commit. */
function unlessOwned(error: unknown): false {
  if (error instanceof OwnershipError) return false;
  throw error;
}

/** Copies that repairs kept aside, and half-written files; returns how many bytes were freed. */
function removeLeftovers(layout: Layout): number {
  const asides = namesIn(layout.root).filter((entry) => entry.isDirectory() && ASIDE.test(entry.name));
  let bytes = 0;
  for (const { name } of asides) {
    bytes += sizeBelow(join(layout.root, name));
    removeTree(join(layout.root, name));
  }
  // Records outside tasks are written in turn, so no process is writing one now.
  const own = namesIn(layout.root).filter(({ name }) => OWN.test(name));
  const views = categoryDirs(layout).flatMap((category) => filesBelow(layout.categoryDir(category)));
  const left = [...own.map(({ name }) => join(layout.root, name)), ...views.filter(isTemporary)];
  // Blobs are not: if there are any, another process may be writing one.
  const isQuiet = listBlobs(layout, null).next().done;
  const halves = layout.blobRoots(null).flatMap(filesBelow).filter(isTemporary);
  left.push(...halves.filter((file) => isQuiet || isOld(file)));
  for (const file of left) bytes += remove(file);
  return bytes;
}

const ASIDE = /^damaged-\d{4}-/;
/** Only the store's own files: its directory may also hold files of the project. */
const OWN = /^\.(?:records\.(?:log|index)|numbers\.floor|store\.json)\.[0-9a-f]{12}\.tmp$/;
/** Any writer is done long before that. */
const LEFT_AFTER_MS = 60_000;

function isTemporary(file: string): boolean {
  return /^\..*\.[0-9a-f]{12}\.tmp$/.test(basename(file));
}

function isOld(file: string): boolean {
  const found = io.lstat(file);
  return found !== null && Date.now() - found.mtimeMs > LEFT_AFTER_MS;
}

function remove(file: string): number {
  const size = io.lstat(file)?.size ?? 0;
  return removeIfExists(file) ? size : 0;
}

function sizeBelow(dir: string): number {
  return filesBelow(dir).reduce((sum, file) => sum + (io.lstat(file)?.size ?? 0), 0);
}

function filesBelow(dir: string): string[] {
  return namesIn(dir).flatMap((entry) => {
    const path = join(dir, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}
