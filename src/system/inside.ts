/**
 * Directories below a root, reached without following a link, so that nothing outside can be reached even while someone
 * swaps directories for links. Linux reaches names through open descriptors; on other platforms every part is checked again.
 */

import { constants } from 'node:fs';
import { join } from 'node:path';
import { syncDir } from './files.ts';
import * as io from './io.ts';
import { platform } from './platform.ts';

export interface InsideDirectory {
  /** A path that reaches the name in exactly this directory. */
  at(name: string): string;
  /** Syncs the creation and removal of names to disk. */
  sync(): Promise<void>;
  close(): void;
}

const FLAGS = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);

/** Null if there is no such directory, or a link or a file is in its place. `make` is the mode of directories to create. */
export function openInside(
  root: string,
  directory: string,
  make?: (path: string) => number,
): InsideDirectory | null {
  const parts = directory === '' ? [] : directory.split('/');
  return platform.proc ? openByDescriptor(root, parts, make) : openByPath(root, parts, make);
}

const NOT_A_DIRECTORY = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

function openByDescriptor(
  root: string,
  parts: readonly string[],
  make: ((path: string) => number) | undefined,
): InsideDirectory | null {
  let file = tryOpen(root);
  for (const [index, part] of parts.entries()) {
    if (!file) return null;
    const path = `/proc/self/fd/${file.fd}/${part}`;
    if (make && !io.lstat(path)) io.mkdir(path, make(parts.slice(0, index + 1).join('/')));
    const next = tryOpen(path);
    io.close(file);
    file = next;
  }
  if (!file) return null;
  const open = file;
  return {
    at: (name) => `/proc/self/fd/${open.fd}/${name}`,
    sync: () => io.fsyncAsync(open),
    close: () => io.close(open),
  };
}

function tryOpen(path: string): io.OpenFile | null {
  try {
    return io.open(path, FLAGS);
  } catch (error) {
    if (NOT_A_DIRECTORY.has(io.errnoOf(error) ?? '')) return null;
    throw error;
  }
}

function openByPath(
  root: string,
  parts: readonly string[],
  make: ((path: string) => number) | undefined,
): InsideDirectory | null {
  const path = join(root, ...parts);
  const isReal = (create: boolean): boolean =>
    ['', ...parts].every((_, length) => {
      const inside = parts.slice(0, length);
      const found = io.lstat(join(root, ...inside));
      const isMade = !found && length > 0 && create && make;
      if (isMade) io.mkdir(join(root, ...inside), make(inside.join('/')));
      return found ? found.isDirectory() : isMade;
    });
  if (!isReal(true)) return null;
  return {
    at(name) {
      if (!isReal(false)) throw io.ioError('open', path, { code: 'ELOOP' });
      return join(path, name);
    },
    sync: async () => syncDir(path),
    close() {},
  };
}
