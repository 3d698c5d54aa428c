/** One file of a workspace, read and written where it is: no link is followed on the way, nobody sees it half written. */
import { basename, dirname, join, relative, sep } from 'node:path';
import { WorkspaceError } from '../errors.ts';
import { openIfExists, readRange, removeIfExists, syncDir, writeAll } from '../system/files.ts';
import { type InsideDirectory, openInside } from '../system/inside.ts';
import * as io from '../system/io.ts';
import { RESTORE_PREFIX } from './names.ts';

export interface FileGround {
  /** The workspace, its links followed. */
  readonly root: string;
  /** Where new content is written first: outside the tree, on its disk. For one writer at a time. */
  readonly stage: string;
}

/** Null when nothing is there. Refuses what is no file: a directory, or a link. */
export function readFileIn({ root }: FileGround, path: string): Uint8Array | null {
  const inside = openInside(root, directoryOf(root, path));
  if (!inside) return null;
  try {
    const at = inside.at(basename(path));
    const found = io.lstat(at);
    if (found && !found.isFile()) throw notAFile(root, path);
    return found && readNotFollowing(at);
  } finally {
    inside.close();
  }
}

/**
 * Puts the bytes there, with the mode of what was there; null removes it. It is on the disk when this returns true.
 * `may` is asked at the last moment.
 */
export function putFileIn(
  ground: FileGround,
  path: string,
  bytes: Uint8Array | null,
  may: () => boolean,
): boolean {
  const { root } = ground;
  let made = 0;
  const make = (): number => {
    made += 1;
    return 0o777; // what the process's mask leaves of it
  };
  const inside = openInside(root, directoryOf(root, path), bytes === null ? undefined : make);
  if (!inside) {
    if (bytes === null) return may();
    throw notAFile(root, dirname(path));
  }
  try {
    if (bytes !== null) {
      if (!moveIn(ground, inside, basename(path), bytes, may)) return false;
    } else {
      if (!may()) return false;
      removeIfExists(inside.at(basename(path)));
    }
    for (let above = 0; above <= made; above++) syncDir(inside.at(join('.', ...Array(above).fill('..'))));
    return true;
  } finally {
    inside.close();
  }
}

function moveIn(
  { stage }: FileGround,
  inside: InsideDirectory,
  name: string,
  bytes: Uint8Array,
  may: () => boolean,
): boolean {
  const mode = io.lstat(inside.at(name))?.mode;
  // Beside the file where it lies on another disk than the stage, under a name that is never captured.
  for (const place of [stage, inside.at(`${RESTORE_PREFIX}writing`)]) {
    removeIfExists(place); // of a writer that died
    const file = io.open(place, 'wx', 0o666);
    try {
      writeAll(file, bytes);
      if (mode !== undefined) io.chmod(file, mode & 0o7777);
      io.fsync(file);
      const moves = may();
      if (moves) io.rename(place, inside.at(name));
      else removeIfExists(place);
      return moves;
    } catch (error) {
      removeIfExists(place);
      if (io.errnoOf(error) !== 'EXDEV' || place !== stage) throw error;
    } finally {
      io.close(file);
    }
  }
  return false;
}

function readNotFollowing(path: string): Uint8Array | null {
  const file = openIfExists(path, io.READ_NO_FOLLOW);
  if (!file) return null;
  try {
    return readRange(file, 0, io.stat(file).size);
  } finally {
    io.close(file);
  }
}

function directoryOf(root: string, path: string): string {
  return relative(root, dirname(path)).split(sep).join('/');
}

function notAFile(root: string, path: string): WorkspaceError {
  const named = relative(root, path);
  return new WorkspaceError('WORKSPACE_UNSAFE', `${named} is not a file.`, {
    data: { path: named },
    hint: 'Only files can be written this way: not directories, devices, or links that lead nowhere.',
  });
}
