/**
 * Private directories for the duration of one call. They hold copies of people's files: leftovers of a killed process are
 * removed by the next one.
 */

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeTree } from '../files.ts';
import { newId } from '../ids.ts';
import * as io from '../io.ts';
import { platform } from '../platform.ts';
import { PROCESS_MARK, processLives } from '../process/alive.ts';
import { userDir } from './user-dir.ts';

/** `memory`: a directory that never reaches a disk, if the system has one. */
export function makeTempDir(prefix: string, { memory = false }: { readonly memory?: boolean } = {}): string {
  sweepTempDirs();
  const base = (memory ? inMemory() : null) ?? userDir(SCRATCH) ?? tmpdir();
  const path = join(base, `${newId(prefix)}@${PROCESS_MARK}`);
  io.mkdir(path);
  return path;
}

/** A directory for people to look into and to remove themselves. */
export function makeOpenTempDir(prefix: string): string {
  const path = join(tmpdir(), newId(prefix));
  io.mkdir(path);
  return path;
}

/** Removes leftovers of processes that are gone. */
export function sweepTempDirs(): void {
  for (const base of [userDir(SCRATCH), inMemory()]) {
    if (base === null) continue;
    for (const path of io.readNames(base).map((name) => join(base, name)))
      if (isLeft(path)) removeQuietly(path);
  }
}

const SCRATCH = 'scratch';
const MARKED = /@(\d+\.\d+\.\d+\.[0-9a-f]+)?$/;
/** Git runs a person's hooks with the index in it, without a lock, and would take a missing one for an empty one. */
const WITH_HOOKS = /\bve-commit[^/\\]*$/;
const HOUR_MS = 3_600_000;

/** Whether its process is gone; if that is not known, in a container or on another machine, whether it is old. */
function isLeft(path: string): boolean {
  const found = MARKED.exec(path);
  if (!found) return false;
  const mark = found[1] ?? '';
  const here = mark !== '' && mark.split('.')[3] === PROCESS_MARK.split('.')[3];
  const lives = here ? processLives(mark) : null;
  // A git process may outlive the one that started it and still write; recovery of an unfinished rebase waits for its lock.
  if (lives !== null)
    return !lives && isOld(join(path, 'index.lock')) && (!WITH_HOOKS.test(path) || isOld(path));
  return isOld(path);
}

/** True also if it is gone. */
function isOld(path: string): boolean {
  const { mtimeMs = Number.NEGATIVE_INFINITY } = io.lstat(path) ?? {};
  return Date.now() - mtimeMs > HOUR_MS;
}

/** Somebody else may remove it too, or tests left what cannot be removed. */
export function removeQuietly(path: string): void {
  io.unlessRefused(() => removeTree(path), undefined);
}

/** A private directory on a file system that Linux keeps in memory. Null if there is none. */
function inMemory(): string | null {
  if (!platform.proc) return null;
  const dir = `/dev/shm/vibe-engine-${process.getuid!()}`;
  return io.unlessRefused(() => {
    if (!io.lstat(dir)) io.mkdir(dir, 0o700);
    const found = io.lstat(dir)!;
    const own = found.isDirectory() && found.uid === process.getuid!() && (found.mode & 0o077) === 0;
    return own ? dir : null;
  }, null);
}
