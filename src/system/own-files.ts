/**
 * Our directories must not contain links: someone could put one into a project that others clone or unpack, to make us write
 * to or delete files elsewhere.
 */
import { dirname } from 'node:path';
import { StoreError } from '../errors.ts';
import { phrase } from '../phrase.ts';
import { ensureDir } from './files.ts';
import * as io from './io.ts';

/** Throws STORE_UNSAFE if one of them is a link. */
export function refuseLinks(paths: readonly string[]): void {
  for (const path of paths) if (io.lstat(path)?.isSymbolicLink()) throw linked(path);
}

/** Creates a directory below a root. The root may be a link, but nothing between them. */
export function ensureDirBelow(root: string, dir: string): void {
  refuseLinksBelow(root, dir);
  ensureDir(dir);
}

export function refuseLinksBelow(root: string, path: string): void {
  for (let at = path; at.length > root.length; at = dirname(at)) refuseLinks([at]);
}

/** The files that SQLite writes next to a database. */
export function besideDatabase(path: string): string[] {
  return ['-wal', '-shm', '-journal'].map((end) => path + end);
}

function linked(path: string): StoreError {
  return new StoreError('STORE_UNSAFE', phrase`${path} is a link, and links are not followed there.`, {
    data: { path },
    hint: phrase`Look where it leads before you delete it: files elsewhere could be changed through it. To keep the store elsewhere set "persistence.path". Nothing was changed.`,
  });
}
