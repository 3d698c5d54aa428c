/** Notes which version of a file its reader saw, and writes only over that version. */
import { hash } from 'node:crypto';
import { dirname } from 'node:path';
import { InvalidInputError, WorkspaceError } from '../errors.ts';
import { ensureDir, readIfExists, removeIfExists, replaceFile, syncDir } from '../system/files.ts';
import * as io from '../system/io.ts';
import type { LocalLocks } from '../system/locks.ts';
import type { Locate, Place } from './identity.ts';

export interface FileVersion {
  /** Relative to the workspace, the same whatever way the file was named. */
  readonly path: string;
  /** SHA-256 of the content; null when there was no file. */
  readonly hash: string | null;
  /** Null when there was no file. */
  readonly mtime: string | null;
}

export type CommitResult =
  | { readonly success: true; readonly version: FileVersion }
  | {
      readonly success: false;
      readonly reason: 'CONFLICT';
      readonly originalVersion: FileVersion;
      /** What is there now; null when there is no file any more. */
      readonly currentHash: string | null;
    };

export interface OptimisticLockOptions {
  readonly locate: Locate;
  /** Between check and write, everybody else who writes through such a lock waits. */
  readonly locks: LocalLocks;
}

const NEW_FILE_MODE = 0o644;

export class OptimisticLock {
  readonly #options: OptimisticLockOptions;
  readonly #seen = new Map<string, FileVersion>();

  constructor(options: OptimisticLockOptions) {
    this.#options = options;
  }

  /** Notes the version that is there, also when nothing is. */
  async acquire(path: string): Promise<FileVersion> {
    return this.read(path).version;
  }

  /** The same, with the bytes: those of this very version, or null. */
  read(path: string): { readonly version: FileVersion; readonly content: Uint8Array | null } {
    const place = this.#options.locate(path);
    const content = readFile(place);
    const version = versionOf(place, content);
    this.#seen.set(place.key, version);
    return { version, content };
  }

  /**
   * Writes, or with null removes, the file if it is still the version that was noted. `allowed` is asked between the
   * check and the write, and throws to stop it.
   */
  async checkAndCommit(
    path: string,
    newContent: string | Uint8Array | null,
    allowed: () => void = () => {},
  ): Promise<CommitResult> {
    const place = this.#options.locate(path);
    const originalVersion = this.#seen.get(place.key);
    if (!originalVersion) throw notAcquired(path);
    const bytes = typeof newContent === 'string' ? Buffer.from(newContent) : newContent;
    return this.#options.locks.exclusively(`file-${hash('sha256', place.key)}`, () => {
      const currentHash = hashOf(readFile(place));
      if (currentHash !== originalVersion.hash)
        return { success: false, reason: 'CONFLICT', originalVersion, currentHash };
      allowed();
      put(place, bytes);
      const version = versionOf(place, bytes);
      this.#seen.set(place.key, version);
      return { success: true, version };
    });
  }
}

/** Refuses what is no file: a directory, or a link that leads nowhere. */
function readFile({ path, key }: Place): Buffer | null {
  const found = io.lstat(path);
  if (found && !found.isFile()) throw notAFile(key);
  return found && readIfExists(path);
}

function put({ path }: Place, bytes: Uint8Array | null): void {
  if (bytes === null) {
    if (removeIfExists(path)) syncDir(dirname(path));
    return;
  }
  ensureDir(dirname(path));
  replaceFile(path, bytes, (io.lstat(path)?.mode ?? NEW_FILE_MODE) & 0o7777);
}

function versionOf({ path, key }: Place, content: Uint8Array | null): FileVersion {
  const mtime = content === null ? null : (io.lstat(path)?.mtime.toISOString() ?? null);
  return { path: key, hash: hashOf(content), mtime };
}

function hashOf(content: Uint8Array | null): string | null {
  return content === null ? null : hash('sha256', content);
}

function notAcquired(path: string): InvalidInputError {
  return new InvalidInputError('USAGE', `No version of ${path} was noted.`, {
    data: { path },
    hint: 'Call acquire(path) before you read it, and checkAndCommit when you have the new content.',
  });
}

function notAFile(path: string): WorkspaceError {
  return new WorkspaceError('WORKSPACE_UNSAFE', `${path} is not a file.`, {
    data: { path },
    hint: 'Only files can be written this way: not directories, devices, or links that lead nowhere.',
  });
}
