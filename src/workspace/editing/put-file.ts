/** Reads and writes one file of a workspace: no link is followed on the way, and no reader sees it half written. */
import { basename, dirname, join, relative, sep } from 'node:path';
import { WorkspaceError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { inherit } from '../../system/attributes.ts';
import { openIfExists, readRange, removeIfExists, syncDir, writeAll } from '../../system/files.ts';
import { openInside } from '../../system/inside.ts';
import * as io from '../../system/io.ts';
import { RESTORE_PREFIX } from '../tree/names.ts';
import { ALL_BITS } from '../tree/tree.ts';
import { hasNoLinks, linkOrRename } from './swap.ts';

export interface WriteDirectories {
  /** The workspace, its links followed. */
  readonly root: string;
  /** Where new content is written first: outside the tree, on its disk. For one writer at a time. */
  readonly stage: string;
}

/** Null if it does not exist. Refuses anything but a file: a directory, or a link. */
export function readFileIn({ root }: Pick<WriteDirectories, 'root'>, path: string): Uint8Array | null {
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

interface Guard {
  /** Called at the last moment. */
  may(): boolean;
  /** Whether these bytes may be replaced: called again when they have lost their name. */
  isNoted(bytes: Uint8Array | null): boolean;
}

/** Writes the bytes, with the mode of the previous file; null removes it. It is on disk when this returns true. */
export function putFileIn(
  directories: WriteDirectories,
  path: string,
  bytes: Uint8Array | null,
  guard: Guard,
): boolean {
  const { root, stage } = directories;
  let made = 0;
  const make = (): number => {
    made += 1;
    return 0o777; // what the process's mask leaves of it
  };
  const inside = openInside(root, directoryOf(root, path), bytes === null ? undefined : make);
  if (!inside) {
    if (bytes === null) return guard.may();
    throw notAFile(root, dirname(path));
  }
  try {
    const target = inside.at(basename(path));
    // Next to the file if that is on another disk than the stage, under a name that is never captured.
    const places = [stage, inside.at(`${RESTORE_PREFIX}writing`)];
    if (!firstOnItsDisk(places, (place) => putBy(place, target, bytes, guard))) return false;
    for (let above = 0; above <= made; above++) syncDir(inside.at(join('.', ...Array(above).fill('..'))));
    return true;
  } finally {
    inside.close();
  }
}

function firstOnItsDisk(places: readonly string[], put: (place: string) => boolean): boolean {
  for (const place of places) {
    try {
      return put(place);
    } catch (error) {
      if (io.errnoOf(error) !== 'EXDEV' || place === places.at(-1)) throw error;
    } finally {
      for (const left of [place, asideOf(place)]) removeIfExists(left);
    }
  }
  return false;
}

function asideOf(place: string): string {
  return `${place}-old`;
}

/**
 * The old file keeps a second name until it is known that nobody wrote to it while it lost the first: an editor that has it
 * open does not use our lock.
 */
function putBy(place: string, target: string, bytes: Uint8Array | null, guard: Guard): boolean {
  for (const left of [place, asideOf(place)]) removeIfExists(left); // of a writer that died
  const there = io.lstat(target);
  if (bytes !== null) stageBytes(place, target, bytes, there?.mode);
  const aside = there && linkAside(target, asideOf(place));
  if (!guard.may() || (aside && io.lstat(aside)?.ino !== io.lstat(target)?.ino)) return false;
  if (bytes === null) removeIfExists(target);
  else if (there) io.rename(place, target);
  else if (!linkIfFree(place, target)) return false;
  if (!aside || guard.isNoted(readNotFollowing(aside))) return true;
  io.rename(aside, target);
  return false;
}

/** One sync for the bytes and all that the file has besides them. */
function stageBytes(place: string, target: string, bytes: Uint8Array, mode: number | undefined): void {
  const file = io.open(place, 'wx', 0o666);
  try {
    writeAll(file, bytes);
    if (mode !== undefined) {
      io.chmod(file, mode & ALL_BITS);
      if (!inherit({ from: target, to: place, mode: mode & ALL_BITS })) throw notKept(target);
    }
    io.fsync(file);
  } finally {
    io.close(file);
  }
}

/** Null if the file system has no hard links. */
function linkAside(target: string, aside: string): string | null {
  try {
    io.link(target, aside);
    return aside;
  } catch (error) {
    if (hasNoLinks(error) || io.errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function linkIfFree(place: string, target: string): boolean {
  try {
    linkOrRename(place, target);
    return true;
  } catch (error) {
    if (io.errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
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

function notKept(path: string): WorkspaceError {
  const name = basename(path);
  return new WorkspaceError(
    'WORKSPACE_UNSAFE',
    phrase`${name} is not changed: its owner, its access list or its attributes could not be kept.`,
    { data: { name }, hint: phrase`Change it as its owner, or with a command that writes into it.` },
  );
}

function notAFile(root: string, path: string): WorkspaceError {
  const named = relative(root, path);
  return new WorkspaceError('WORKSPACE_UNSAFE', phrase`${named} is not a file.`, {
    data: { path: named },
    hint: phrase`Only files can be written this way: not directories, devices, or links that lead nowhere.`,
  });
}
