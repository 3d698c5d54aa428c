/** Notes which version of a file its reader saw, and writes only over that version. */
import { hash } from 'node:crypto';
import { resolve } from 'node:path';
import { InvalidInputError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import * as io from '../../system/io.ts';
import { refuseGuarded } from '../rules/guarded.ts';
import { type FileLocks, openFileLocks } from './file-locks.ts';
import type { LocatedFile } from './identity.ts';
import { putFileIn, readFileIn } from './put-file.ts';

export interface FileVersion {
  /** Relative to the workspace, the same however the file was named. */
  readonly path: string;
  /** SHA-256 of the content; null when there was no file. */
  readonly hash: string | null;
  /** Milliseconds since 1970; 0 when there was no file. */
  readonly mtime: number;
}

type CommitResult =
  | { readonly success: true; readonly version: FileVersion }
  | {
      readonly success: false;
      readonly reason: 'CONFLICT';
      readonly originalVersion: FileVersion;
      /** The current hash; null if the file no longer exists. */
      readonly currentHash: string | null;
    };

export class OptimisticLock {
  readonly #root: string;
  #files: FileLocks | null = null;
  #opening: Promise<FileLocks> | null = null;
  readonly #seen = new Map<string, FileVersion>();

  /**
   * For the files of a workspace; default: the working directory, opened at first use. Other writers that use this lock, in
   * any process, wait between check and write.
   */
  constructor(root?: string);
  /** For callers that share open file locks. */
  constructor(files: FileLocks);
  constructor(given: string | FileLocks = process.cwd()) {
    this.#root = typeof given === 'string' ? resolve(given) : given.root;
    if (typeof given !== 'string') this.#files = given;
  }

  /** The same, opened now: a directory that cannot be used is refused here. */
  static async open(root: string): Promise<OptimisticLock> {
    return new OptimisticLock(await openFileLocks(root));
  }

  /** Call it once, after the last use. */
  async close(): Promise<void> {
    // One that did not open has nothing to close.
    await (this.#files ?? (await this.#opening?.catch(() => null)))?.close();
  }

  /** Notes the current version, even if there is no file. */
  async acquire(path: string): Promise<FileVersion> {
    return (await this.read(path)).version;
  }

  /** The same, with the bytes: those of this very version, or null. */
  async read(path: string): Promise<{ readonly version: FileVersion; readonly content: Uint8Array | null }> {
    const files = this.#files ?? (await this.#firstUse());
    const place = files.locate(path);
    const look = (): Uint8Array | null => readFileIn(files, place.path);
    // A file that is being restored has no name for an instant, but never while we have the turn.
    const content = look() ?? (await files.turn(look));
    const version = versionOf(place, content);
    this.#seen.set(place.key, version);
    return { version, content };
  }

  /**
   * Writes, or with null removes, the file if it is still the version that was noted. `allowed` is called right before, and
   * throws to stop it.
   */
  async checkAndCommit(
    path: string,
    newContent: string | Uint8Array | null,
    allowed: () => void = () => {},
  ): Promise<CommitResult> {
    const bytes = typeof newContent === 'string' ? Buffer.from(newContent) : newContent;
    const files = this.#files ?? (await this.#firstUse());
    const place = files.locate(path);
    refuseGuarded(files.root, path, place.path);
    const originalVersion = this.#seen.get(place.key);
    if (!originalVersion) throw notAcquired(path);
    return files.turn(() => {
      const now = (): Uint8Array | null => readFileIn(files, place.path);
      const isNoted = (content: Uint8Array | null): boolean => hashOf(content) === originalVersion.hash;
      // Checked again right before the file gets its name: editors do not use this lock.
      const may = (): boolean => {
        allowed();
        for (;;) {
          const seen = stampOf(place);
          if (!isNoted(now())) return false;
          if (stampOf(place) === seen) return true;
        }
      };
      if (!isNoted(now()) || !putFileIn(files, place.path, bytes, { may, isNoted }))
        return { success: false, reason: 'CONFLICT', originalVersion, currentHash: hashOf(now()) };
      const version = versionOf(place, bytes);
      this.#seen.set(place.key, version);
      return { success: true, version };
    });
  }

  async #firstUse(): Promise<FileLocks> {
    this.#opening ??= openFileLocks(this.#root);
    try {
      this.#files = await this.#opening;
      return this.#files;
    } catch (error) {
      this.#opening = null; // It can be tried again.
      throw error;
    }
  }
}

function versionOf({ path, key }: LocatedFile, content: Uint8Array | null): FileVersion {
  const mtime = content === null ? 0 : (io.lstat(path)?.mtimeMs ?? 0);
  return { path: key, hash: hashOf(content), mtime };
}

/** Changes with the file, and is faster to get than its content. */
function stampOf({ path }: LocatedFile): string {
  const found = io.lstat(path);
  return found ? `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}` : '';
}

function hashOf(content: Uint8Array | null): string | null {
  return content === null ? null : hash('sha256', content);
}

function notAcquired(path: string): InvalidInputError {
  return new InvalidInputError('USAGE', phrase`No version of ${path} was noted.`, {
    data: { path },
    hint: phrase`Call acquire(path) before you read it, and checkAndCommit when you have the new content.`,
  });
}
