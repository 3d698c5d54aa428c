/**
 * Remembers what this user did or agreed to on this machine, outside every project, where a store or archive from elsewhere
 * cannot fake it.
 */
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { placeFileUnsynced, removeIfExists } from '../files.ts';
import * as io from '../io.ts';
import { userDir } from './user-dir.ts';

/** If it cannot be stored, the user is asked again. */
export function rememberThat(sort: string, what: string): void {
  io.unlessRefused(() => {
    const dir = userDir(sort);
    if (dir === null || io.lstat(fileOf(dir, what))) return;
    forgetOldest(dir);
    placeFileUnsynced(fileOf(dir, what), Buffer.from(`${what}\n`));
  }, undefined);
}

export function isRemembered(sort: string, what: string): boolean {
  const dir = userDir(sort);
  return dir !== null && io.lstat(fileOf(dir, what)) !== null;
}

function fileOf(dir: string, what: string): string {
  return join(dir, hash('sha256', what));
}

const MOST = 4000;

function forgetOldest(dir: string): void {
  const names = io.readNames(dir);
  if (names.length < MOST) return;
  const dated = names.map((name) => ({ name, at: io.lstat(join(dir, name))?.mtimeMs ?? 0 }));
  for (const { name } of dated.sort((a, b) => a.at - b.at).slice(0, MOST / 2))
    removeIfExists(join(dir, name));
}
