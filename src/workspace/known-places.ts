/**
 * Directories this user has worked in, remembered outside every store: a store may have come with a clone, and git is not
 * run in a directory that nobody but a store names.
 */
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { placeFileUnsynced } from '../system/files.ts';
import * as io from '../system/io.ts';
import { userDir } from '../system/user-dir.ts';

const remembered = new Set<string>();

export function rememberPlace(root: string): void {
  if (remembered.has(root)) return;
  remembered.add(root);
  try {
    const file = fileOf(root);
    if (file !== null && !io.lstat(file)) placeFileUnsynced(file, Buffer.from(`${root}\n`));
  } catch {} // Then it is not looked at from elsewhere.
}

export function isKnownPlace(root: string): boolean {
  const file = fileOf(root);
  return file !== null && io.lstat(file) !== null;
}

function fileOf(root: string): string | null {
  const dir = userDir('places');
  return dir === null ? null : join(dir, hash('sha256', io.realpath(root) ?? root));
}
