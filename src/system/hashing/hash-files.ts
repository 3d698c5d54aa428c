/** Hashes of whole files, each read once: SHA-256 of the bytes, and the id git would give them. */
import { createHash, hash } from 'node:crypto';
import { constants } from 'node:fs';
import { openClosed } from '../closed.ts';
import * as io from '../io.ts';

export interface HashJob {
  readonly number: number;
  readonly paths: readonly string[];
}

export interface HashAnswer {
  /** Per file 32 bytes of SHA-256 and then the git id; zeros for a file that could not be read. */
  readonly digests: Uint8Array<ArrayBuffer>;
  /** Per file mtime, ctime, inode and size of what was read, as `STAT_FIELDS` has them. */
  readonly stats: Float64Array<ArrayBuffer>;
}

export const STAT_FIELDS = 4;
const GIT_BYTES = { sha1: 20, sha256: 32 } as const;

/** Reuses one buffer for many files: allocating one for each costs more than hashing. */
export function hashFiles(root: string, paths: readonly string[], git: 'sha1' | 'sha256'): HashAnswer {
  const width = 32 + GIT_BYTES[git];
  const digests = new Uint8Array(paths.length * width);
  const stats = new Float64Array(paths.length * STAT_FIELDS);
  for (const [index, path] of paths.entries()) {
    const read = readAfterHeader(`${root}/${path}`);
    if (!read) continue;
    const { bytes, withHeader, stat } = read;
    digests.set(hash('sha256', bytes, 'buffer'), index * width);
    digests.set(hash(git, withHeader, 'buffer'), index * width + 32);
    stats.set([stat.mtimeMs, stat.ctimeMs, stat.ino, stat.size], index * STAT_FIELDS);
  }
  return { digests, stats };
}

/** Room for git's header, `blob {size}` and a NUL, before the bytes. */
const HEADER = 32;
let memory = Buffer.allocUnsafe(256 * 1024);

function readAfterHeader(path: string) {
  const file = tryOpen(path);
  if (!file) return null;
  try {
    let end = HEADER;
    for (;;) {
      const count = io.read(file, memory.subarray(end), end - HEADER);
      if (count === 0) break;
      end += count;
      if (end === memory.length) memory = Buffer.concat([memory], 2 * memory.length);
    }
    const stat = io.fstat(file);
    if (!stat.isFile()) return null;
    const header = `blob ${end - HEADER}\0`;
    const start = HEADER - header.length;
    memory.write(header, start, 'latin1');
    return { bytes: memory.subarray(HEADER, end), withHeader: memory.subarray(start, end), stat };
  } catch (error) {
    // A directory took its place.
    if (NOT_THERE.has(io.errnoOf(error) ?? '')) return null;
    throw error;
  } finally {
    io.close(file);
  }
}

export function gitDigest(algorithm: 'sha1' | 'sha256', bytes: Uint8Array): Buffer {
  return createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest();
}

export interface WholeFile {
  readonly bytes: Buffer;
  /** Of the file after the last byte was read. */
  readonly stat: readonly [mtime: number, ctime: number, ino: number, size: number];
  /** Permission bits; and all bits, the file type included. */
  readonly mode: number;
  readonly fullMode: number;
  /** Whether it did not change while it was read. */
  readonly settled: boolean;
}

/** No such file, one we may not read, a link where a file was, or deeper than the system's longest path. */
const NOT_THERE = new Set([
  ...['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'ENXIO', 'EISDIR', 'EAGAIN', 'ENAMETOOLONG'],
]);

/** Null if there is no readable file, also when a link or a pipe has taken its place. */
export function readWhole(path: string): WholeFile | null {
  const file = tryOpen(path);
  if (!file) return null;
  try {
    const before = io.fstat(file);
    if (!before.isFile()) return null;
    const bytes = readToEnd(file, before.size);
    const { mtimeMs, ctimeMs, ino, size, mode } = io.fstat(file);
    const settled =
      mtimeMs === before.mtimeMs &&
      ctimeMs === before.ctimeMs &&
      size === before.size &&
      size === bytes.length;
    return { bytes, stat: [mtimeMs, ctimeMs, ino, size], mode: mode & 0o7777, fullMode: mode, settled };
  } finally {
    io.close(file);
  }
}

/** The same for a file of this user that is closed even to its owner: it is opened briefly. Its times mean nothing. */
export function readClosed(path: string): WholeFile | null {
  const fullMode = io.lstat(path)?.mode ?? 0;
  const close = openClosed(path);
  if (!close) return null;
  try {
    const file = readWhole(path);
    return file && { ...file, fullMode, mode: fullMode & 0o7777, settled: false };
  } finally {
    close();
  }
}

/** Without waiting for the other end of a pipe. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

function tryOpen(path: string): io.OpenFile | null {
  try {
    return io.open(path, FLAGS);
  } catch (error) {
    if (NOT_THERE.has(io.errnoOf(error) ?? '')) return null;
    throw error;
  }
}

/** A file can grow while it is read. */
function readToEnd(file: io.OpenFile, size: number): Buffer {
  let buffer = Buffer.allocUnsafe(size + 1);
  let filled = 0;
  for (;;) {
    const count = io.read(file, buffer.subarray(filled), filled);
    if (count === 0) return buffer.subarray(0, filled);
    filled += count;
    if (filled === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2);
  }
}
