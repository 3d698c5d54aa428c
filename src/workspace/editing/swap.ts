/**
 * Replaces one file by another without losing what is at the path at that instant: the old file is checked and moved aside,
 * and the new one gets the name, which fails if someone else took it in the meantime. The check comes first, because the
 * file cannot be found while it has no name.
 */
import { hash } from 'node:crypto';
import { removeIfExists } from '../../system/files.ts';
import { readClosed, readWhole } from '../../system/hashing/hash-files.ts';
import type { InsideDirectory } from '../../system/inside.ts';
import * as io from '../../system/io.ts';
import { ALL_BITS, sameEntry, type TreeEntry } from '../tree/tree.ts';

/** Where things are kept while they are swapped: outside the tree, or next to the file on another disk. */
export interface Paths {
  readonly fresh: string;
  /** Next to the file. */
  readonly near: string;
  /** The first that can be renamed to is used. */
  readonly old: readonly string[];
}

export type Swapped =
  | 'done'
  /** Someone changed it since it was captured; it has its name back. */
  | 'changed'
  /** The same, but its name is taken: it stays aside until its content is kept. */
  | 'displaced'
  /** Something that is not a directory, or a directory with other files in it, is in the way. */
  | 'blocked';

/** `place` puts the new thing at the path it is given, failing with EEXIST when something is there; none to remove. */
export function swap(
  directory: InsideDirectory,
  name: string,
  expected: TreeEntry | null,
  places: Paths,
  place: ((path: string) => void) | null,
): Swapped {
  const left = places.old.find((path) => io.lstat(path)); // by an interrupted swap
  const seen = lookAt(left ?? directory.at(name));
  if (left === undefined && seen.stamp !== null && !sameEntry(seen.entry, expected)) return 'changed';
  const old = left ?? moveAside(directory.at(name), places.old);
  if (old === 'directory') {
    if (expected?.kind !== 'dir') return 'changed';
    if (!removeEmpty(directory.at(name))) return 'blocked';
  } else if (old === null) {
    // Someone removed it at the last moment.
    if (place && expected && expected.kind !== 'dir') return 'changed';
  } else if (!sameEntry(isStill(old, seen) ? seen.entry : entryOnDisk(old), expected)) {
    return giveBack(old, directory.at(name));
  }
  if (!place) return 'done';
  try {
    place(directory.at(name));
    return 'done';
  } catch (error) {
    if (io.errnoOf(error) === 'EEXIST') return 'changed';
    // The file should be available until this can be retried.
    if (old !== null && old !== 'directory') giveBack(old, directory.at(name));
    throw error;
  }
}

/** Where it went; null when nothing is there. Directories stay. */
function moveAside(path: string, places: readonly string[]): string | 'directory' | null {
  const found = io.lstat(path);
  if (!found) return null;
  if (found.isDirectory()) return 'directory';
  for (const place of places) {
    try {
      io.rename(path, place);
      return place;
    } catch (error) {
      const errno = io.errnoOf(error);
      if (errno === 'ENOENT') return null;
      if (errno !== 'EXDEV') throw error;
    }
  }
  throw io.ioError('rename', path, { code: 'EXDEV' });
}

function giveBack(old: string, path: string): Swapped {
  try {
    linkOrRename(old, path);
    return 'changed';
  } catch (error) {
    if (io.errnoOf(error) === 'EEXIST') return 'displaced';
    throw error;
  }
}

const NO_HARD_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

export function hasNoLinks(error: unknown): boolean {
  return NO_HARD_LINKS.has(io.errnoOf(error) ?? '');
}

/** Gives a file its name without ever taking the name from another; EEXIST when it is taken. */
export function linkOrRename(from: string, to: string): void {
  try {
    io.link(from, to);
  } catch (error) {
    if (!hasNoLinks(error)) throw error;
    if (io.lstat(to)) throw io.ioError('link', to, { code: 'EEXIST' });
    io.rename(from, to);
    return;
  }
  removeIfExists(from);
}

export function removeEmpty(path: string): boolean {
  try {
    io.rmdir(path);
    return true;
  } catch (error) {
    const errno = io.errnoOf(error);
    if (errno === 'ENOENT') return true;
    if (errno === 'ENOTEMPTY' || errno === 'EEXIST' || errno === 'ENOTDIR') return false;
    throw error;
  }
}

interface Seen {
  readonly entry: TreeEntry | null;
  /** Equal stamps mean the same file, unchanged; null if that is not known. */
  readonly stamp: string | null;
}

function lookAt(path: string): Seen {
  const before = stampOf(path);
  const entry = entryOnDisk(path);
  return { entry, stamp: stampOf(path) === before ? before : null };
}

function isStill(path: string, { stamp }: Seen): boolean {
  return stamp !== null && stampOf(path) === stamp;
}

/** Without the time of the last change to the inode: a new name is one. */
function stampOf(path: string): string | null {
  const found = io.lstat(path);
  return found?.isFile() ? `${found.ino} ${found.size} ${found.mtimeMs} ${found.mode}` : null;
}

/** What a path is right now, its bytes read; links are not followed. */
export function entryOnDisk(path: string): TreeEntry | null {
  const found = io.lstat(path);
  if (!found) return null;
  if (found.isDirectory()) return { kind: 'dir', mode: found.mode & ALL_BITS };
  if (found.isSymbolicLink()) return { kind: 'symlink', target: io.readlink(path).toString() };
  const file = found.isFile() ? (readWhole(path) ?? readClosed(path)) : null;
  if (!file) return { kind: 'omitted', why: 'special' };
  return {
    kind: 'file',
    mode: found.mode & ALL_BITS,
    size: file.bytes.length,
    hash: hash('sha256', file.bytes),
  };
}
