/**
 * The only calls this project makes to the file system: thin, synchronous where order matters, and each of them can
 * be made to fail by a test (`setIoHook`). Nothing here decides anything; `files.ts` builds safe operations from it.
 */

import * as fs from 'node:fs';
import { IoError } from '../errors.ts';
import { phrase } from '../phrase.ts';
import { type IoOp, ioError } from './io-error.ts';
import { platform } from './platform.ts';

export { errnoOf, type IoOp, ioError, unlessRefused, withPath } from './io-error.ts';

export interface OpenFile {
  readonly fd: number;
  readonly path: string;
}

export interface IoCall {
  readonly op: IoOp;
  readonly path: string;
  /** For a read or a positioned write: where it starts and ends. */
  readonly range?: readonly [from: number, to: number];
}

/** What a test can inject: a failure with an errno name, or a write of at most this many bytes. */
export type IoFault = { readonly errno: string } | { readonly short: number };
export type IoHook = (call: IoCall) => IoFault | undefined;

let hook: IoHook | undefined;

/** For tests: sees every call before it is made. */
export function setIoHook(next: IoHook | undefined): void {
  hook = next;
}

function call<T>(op: IoOp, path: string, run: () => T, range?: IoCall['range']): T {
  const fault = hook?.(range ? { op, path, range } : { op, path });
  try {
    if (fault && 'errno' in fault)
      throw Object.assign(new Error(`${fault.errno}: injected`), { code: fault.errno });
    return run();
  } catch (error) {
    throw ioError(op, path, error);
  }
}

/** Flags to open a file or directory for reading, but not what a link in its place leads to. */
export const READ_NO_FOLLOW: number = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0);

/** Flags to read what should be a file: a pipe in its place is opened without waiting for its writer. */
export const READ_NO_WAIT: number = fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0);

/** The same modes, without waiting for the other end of a pipe in its place. */
const NO_WAIT: Readonly<Record<string, number>> = {
  r: READ_NO_WAIT,
  'r+': fs.constants.O_RDWR | (fs.constants.O_NONBLOCK ?? 0),
  w: fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_TRUNC | (fs.constants.O_NONBLOCK ?? 0),
};

/** IO_FAILED if a pipe is in its place: it could make us wait forever. */
export function open(path: string, flags: string | number, mode = 0o600): OpenFile {
  const quick = typeof flags === 'string' ? NO_WAIT[flags] : undefined;
  const file = { fd: call('open', path, () => fs.openSync(path, quick ?? flags, mode)), path };
  if (quick === undefined || !fs.fstatSync(file.fd).isFIFO()) return file;
  close(file);
  throw new IoError('IO_FAILED', phrase`${path} is a pipe, not a file.`, {
    data: { op: 'open', path, errno: 'ENXIO' },
    hint: phrase`Find out who put it there, then remove it. Nothing was changed.`,
  });
}

/** Writes once; returns how many bytes were written, which may be fewer than given. */
export function write(file: OpenFile, bytes: Uint8Array, offset: number, position: number | null): number {
  let length = bytes.length - offset;
  const range = hook && position !== null ? { range: [position, position + length] as const } : {};
  const fault = hook?.({ op: 'write', path: file.path, ...range });
  if (fault && 'errno' in fault) {
    throw ioError(
      'write',
      file.path,
      Object.assign(new Error(`${fault.errno}: injected`), { code: fault.errno }),
    );
  }
  if (fault) length = Math.min(length, fault.short);
  try {
    return fs.writeSync(file.fd, bytes, offset, length, position);
  } catch (error) {
    throw ioError('write', file.path, error);
  }
}

export function read(file: OpenFile, into: Uint8Array, position: number): number {
  const range = hook && ([position, position + into.length] as const);
  return call('read', file.path, () => fs.readSync(file.fd, into, 0, into.length, position), range);
}

export function fsync(file: OpenFile): void {
  call('fsync', file.path, () => fs.fsyncSync(file.fd));
}

export function fdatasync(file: OpenFile): void {
  call('fdatasync', file.path, () => fs.fdatasyncSync(file.fd));
}

/** The same off the main thread, for several files at once. */
export function fdatasyncAsync(file: OpenFile): Promise<void> {
  return offThread('fdatasync', file, fs.fdatasync);
}

export function fsyncAsync(file: OpenFile): Promise<void> {
  return offThread('fsync', file, fs.fsync);
}

function offThread(
  op: 'fsync' | 'fdatasync',
  file: OpenFile,
  run: (fd: number, done: (error: NodeJS.ErrnoException | null) => void) => void,
): Promise<void> {
  const fault = hook?.({ op, path: file.path });
  return new Promise((resolve, reject) => {
    if (fault && 'errno' in fault) {
      reject(
        ioError(op, file.path, Object.assign(new Error(`${fault.errno}: injected`), { code: fault.errno })),
      );
      return;
    }
    run(file.fd, (error) => (error ? reject(ioError(op, file.path, error)) : resolve()));
  });
}

export function truncate(file: OpenFile, length: number): void {
  call('truncate', file.path, () => fs.ftruncateSync(file.fd, length));
}

/** Size and identity of an open file. */
export function stat(file: OpenFile): { size: number; ino: number } {
  const found = fstat(file);
  return { size: found.size, ino: found.ino };
}

export function fstat(file: OpenFile): fs.Stats {
  return call('stat', file.path, () => fs.fstatSync(file.fd));
}

/** Whether there is something. Unlike a look at its times, this does not make the next sync of a file slower. */
export function exists(path: string): boolean {
  return call('stat', path, () => fs.existsSync(path));
}

export function chmod(file: OpenFile, mode: number): void {
  call('chmod', file.path, () => fs.fchmodSync(file.fd, mode));
}

/** O_PATH, which Node does not export: opens the file without permission to read it. */
const UNREAD = 0o10000000 | (fs.constants.O_NOFOLLOW ?? 0);

/** Opens anything, even a link, only for `fstat` and `chmodUnread`. Null if the platform cannot. */
export function openUnread(path: string): OpenFile | null {
  if (!platform.proc) return null;
  return { fd: call('open', path, () => fs.openSync(path, UNREAD)), path };
}

export function chmodUnread(file: OpenFile, mode: number): void {
  call('chmod', file.path, () => fs.chmodSync(`/proc/self/fd/${file.fd}`, mode));
}

/** Sets the modification time of the file, in milliseconds; default: now. */
export function touch(path: string, mtimeMs: number = Date.now()): void {
  const seconds = Math.floor(mtimeMs) / 1000;
  call('utimes', path, () => fs.utimesSync(path, seconds, seconds));
}

/** The path's own status, not following a link; null if it does not exist. */
export function lstat(path: string | Buffer): fs.Stats | null {
  // Called for every file of a workspace, so it avoids a closure.
  if (hook) return call('stat', path.toString(), () => fs.lstatSync(path, MAY_BE_MISSING) ?? null);
  try {
    return fs.lstatSync(path, MAY_BE_MISSING) ?? null;
  } catch (error) {
    throw ioError('stat', path.toString(), error);
  }
}

const MAY_BE_MISSING = { throwIfNoEntry: false } as const;

export function rename(from: string, to: string): void {
  call('rename', to, () => fs.renameSync(from, to));
}

/** Gives a file a second name; fails if that name exists. */
export function link(from: string, to: string): void {
  call('link', to, () => fs.linkSync(from, to));
}

export function symlink(target: string, path: string): void {
  call('symlink', path, () => fs.symlinkSync(target, path));
}

/** Where a link leads, as the bytes it holds. */
export function readlink(path: string): Buffer {
  return call('readlink', path, () => fs.readlinkSync(path, { encoding: 'buffer' }));
}

/** The path with every link in it followed; null if it does not exist. */
export function realpath(path: string): string | null {
  return call('stat', path, () => {
    try {
      return fs.realpathSync.native(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  });
}

export function unlink(path: string): void {
  call('unlink', path, () => fs.unlinkSync(path));
}

export function mkdir(path: string, mode = 0o700): void {
  call('mkdir', path, () => fs.mkdirSync(path, { mode }));
}

export function rmdir(path: string): void {
  call('rmdir', path, () => fs.rmdirSync(path));
}

export function readdir(path: string): fs.Dirent[] {
  return call('readdir', path, () => fs.readdirSync(path, { withFileTypes: true }));
}

/** Only names; bytes that are not UTF-8 become U+FFFD. */
export function readNames(path: string): string[] {
  return call('readdir', path, () => fs.readdirSync(path));
}

/** Names as the bytes that the file system has. */
export function readNameBytes(path: string | Buffer): Buffer[] {
  return call('readdir', path.toString(), () => fs.readdirSync(path, { encoding: 'buffer' }));
}

/**
 * Calls back with what happens to names in one directory, or with `tree` to paths below it; on this turn of the event loop
 * or a later one.
 */
export function watch(
  path: string,
  { tree }: { readonly tree: boolean },
  seen: (kind: 'rename' | 'change', name: string | null) => void,
  failed: () => void,
): () => void {
  const watcher = call('watch', path, () =>
    fs.watch(path, { persistent: false, recursive: tree }, (kind, name) => seen(kind, name)),
  );
  watcher.on('error', failed);
  return () => watcher.close();
}

export function statfs(path: string): fs.StatsFs {
  return call('statfs', path, () => fs.statfsSync(path));
}

/** Closing cannot lose data that was synced, so its failure is not a fault. */
export function close(file: OpenFile): void {
  try {
    fs.closeSync(file.fd);
  } catch {}
}
