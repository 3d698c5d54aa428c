/**
 * What lies in a directory of ours is no link: whoever can put one there, with a project that somebody else clones or
 * unpacks, could have files elsewhere written to or deleted by us.
 */
import { dirname } from 'node:path';
import { StoreError } from '../errors.ts';
import { phrase } from '../phrase.ts';
import { ensureDir } from './files.ts';
import * as io from './io.ts';

/** STORE_UNSAFE where one of them is a link. */
export function refuseLinks(paths: readonly string[]): void {
  for (const path of paths) if (io.lstat(path)?.isSymbolicLink()) throw linked(path);
}

/** Makes a directory below a root that may be a link itself; nothing between them may. */
export function ensureDirBelow(root: string, dir: string): void {
  refuseLinksBelow(root, dir);
  ensureDir(dir);
}

export function refuseLinksBelow(root: string, path: string): void {
  for (let at = path; at.length > root.length; at = dirname(at)) refuseLinks([at]);
}

/** What SQLite writes beside a database. */
export function besideDatabase(path: string): string[] {
  return ['-wal', '-shm', '-journal'].map((end) => path + end);
}

function linked(path: string): StoreError {
  return new StoreError('STORE_UNSAFE', phrase`${path} is a link, and none is followed there.`, {
    data: { path },
    hint: phrase`Look where it leads before you delete it: files elsewhere could be changed through it. To have the store elsewhere set "persistence.path". Nothing was changed.`,
  });
}
