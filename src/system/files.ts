/** Durable file operations: each is done entirely or not at all after a crash, and is on disk when it returns. */

import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import * as io from './io.ts';
import { platform } from './platform.ts';

const BLOCK = 64 * 1024;

/** Writes every byte or throws: a full disk can make a write short without an error. */
export function writeAll(file: io.OpenFile, bytes: Uint8Array, position: number | null = null): void {
  let done = 0;
  while (done < bytes.length) {
    const count = io.write(file, bytes, done, position === null ? null : position + done);
    if (count <= 0) throw io.ioError('write', file.path, { code: 'EIO' });
    done += count;
  }
}

/** Replaces or creates a file atomically: temporary name, sync, rename, sync of the directory. */
export function replaceFile(path: string, bytes: Uint8Array | Iterable<Uint8Array>, mode?: number): void {
  placeFile(path, bytes, true, mode);
  syncDir(dirname(path));
}

/** The same without waiting for the disk: never half-written for a reader, but may be lost or torn by a crash. */
export function placeFileUnsynced(path: string, bytes: Uint8Array): void {
  placeFile(path, bytes, false);
}

/** A file synced under its final name; the caller syncs the directory, once for many. Default mode: only for its owner. */
export function placeFile(
  path: string,
  bytes: Uint8Array | Iterable<Uint8Array>,
  sync: boolean,
  mode?: number,
): void {
  const temporary = temporaryFor(path);
  const file = openTemporary(temporary, path);
  try {
    if (bytes instanceof Uint8Array) writeAll(file, bytes);
    else for (const chunk of bytes) writeAll(file, chunk);
    if (mode !== undefined) io.chmod(file, mode);
    if (sync) io.fsync(file);
    io.close(file);
    io.rename(temporary, path);
  } catch (error) {
    discard(file, temporary);
    throw io.withPath(error, temporary, path);
  }
}

/** Several synced under their final names; they are synced at once, off the main thread, so that the disk joins the syncs. */
export async function placeFiles(
  files: readonly { readonly path: string; readonly bytes: Uint8Array }[],
): Promise<void> {
  const [only, ...more] = files;
  if (only && more.length === 0) return placeFile(only.path, only.bytes, true);
  const staged = new Map<io.OpenFile, string>();
  try {
    for (const { path, bytes } of files) {
      const file = openTemporary(temporaryFor(path), path);
      staged.set(file, path);
      writeAll(file, bytes);
    }
    await syncAll([...staged.keys()]);
    for (const [file, path] of staged) {
      io.close(file);
      io.rename(file.path, path);
      staged.delete(file);
    }
  } catch (error) {
    let named = error;
    for (const [file, path] of staged) {
      discard(file, file.path);
      named = io.withPath(named, file.path, path);
    }
    throw named;
  }
}

/** Several take little more time than one. Returns when no sync is in progress any more: the files may be closed. */
export async function syncAll(files: readonly io.OpenFile[]): Promise<void> {
  if (files.length === 1) return io.fsync(files[0]!);
  const ends = await Promise.allSettled(files.map((file) => io.fsyncAsync(file)));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

function temporaryFor(path: string): string {
  return join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
}

/** An error names the file that people know, and each time the same. */
function openTemporary(temporary: string, path: string): io.OpenFile {
  try {
    return io.open(temporary, 'wx');
  } catch (error) {
    throw io.withPath(error, temporary, path);
  }
}

/** Removes a file that was not put in place; the error that prevented it is thrown by the caller. */
export function discard(file: io.OpenFile, temporary: string): void {
  io.close(file);
  io.unlessRefused(() => io.unlink(temporary), undefined);
}

/** Makes a directory and every missing ancestor, each name synced into its parent; default mode: only for its owner. */
export function ensureDir(path: string, mode?: number): void {
  if (io.lstat(path)) return;
  const parent = dirname(path);
  ensureDir(parent, mode);
  try {
    io.mkdir(path, mode);
  } catch (error) {
    if (io.errnoOf(error) !== 'EEXIST') throw error;
  }
  syncDir(parent);
}

export function syncDir(path: string): void {
  if (platform.windows) return; // Windows cannot open directories; its renames are journalled.
  const dir = io.open(path, 'r');
  try {
    io.fsync(dir);
  } finally {
    io.close(dir);
  }
}

/** Several at once, off the main thread. */
export async function syncDirs(paths: Iterable<string>): Promise<void> {
  if (platform.windows) return;
  const dirs: io.OpenFile[] = [];
  try {
    for (const path of paths) dirs.push(io.open(path, 'r'));
    await syncAll(dirs);
  } finally {
    for (const dir of dirs) io.close(dir);
  }
}

/** The whole content, or null when there is no such file. EFBIG if it is larger than allowed. */
export function readIfExists(path: string, most: number = Number.POSITIVE_INFINITY): Buffer | null {
  const file = openIfExists(path);
  if (!file) return null;
  try {
    const { size } = io.stat(file);
    if (size > most) throw io.ioError('read', path, { code: 'EFBIG' });
    return readRange(file, 0, size);
  } finally {
    io.close(file);
  }
}

export function openIfExists(path: string, flags: string | number = 'r'): io.OpenFile | null {
  try {
    return io.open(path, flags);
  } catch (error) {
    const errno = io.errnoOf(error);
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return null;
    throw error;
  }
}

/** The bytes from `start` up to `end`, or fewer when the file ends before. */
export function readRange(file: io.OpenFile, start: number, end: number): Buffer {
  const buffer = Buffer.allocUnsafe(Math.max(0, end - start));
  return buffer.subarray(0, readInto(file, buffer, start));
}

/** Fills the buffer from that position; returns how many bytes were read. */
export function readInto(file: io.OpenFile, buffer: Buffer, start: number): number {
  let filled = 0;
  while (filled < buffer.length) {
    const chunk = buffer.subarray(filled, Math.min(buffer.length, filled + 16 * BLOCK));
    const count = io.read(file, chunk, start + filled);
    if (count === 0) break;
    filled += count;
  }
  return filled;
}

/** Returns whether it existed. Not synced: the caller syncs the directory if that matters. */
export function removeIfExists(path: string): boolean {
  try {
    io.unlink(path);
    return true;
  } catch (error) {
    if (io.errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Names in a directory; none if it does not exist. */
export function namesIn(path: string): import('node:fs').Dirent[] {
  try {
    return io.readdir(path);
  } catch (error) {
    const errno = io.errnoOf(error);
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return [];
    throw error;
  }
}

/** Removes a directory recursively, without following links; or the file or link in its place. */
export function removeTree(path: string): void {
  const found = io.lstat(path);
  if (found && !found.isDirectory()) return void removeIfExists(path);
  for (const entry of namesIn(path)) {
    const child = join(path, entry.name);
    if (entry.isDirectory()) removeTree(child);
    else removeIfExists(child);
  }
  try {
    io.rmdir(path);
  } catch (error) {
    if (io.errnoOf(error) !== 'ENOENT') throw error;
  }
}
