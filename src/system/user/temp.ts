/**
 * Directories that nobody else can look into, for as long as one call takes. They hold copies of people's files: what a killed
 * process left of them is removed by the next one.
 */

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeTree } from '../files.ts';
import { newId } from '../ids.ts';
import * as io from '../io.ts';
import { platform } from '../platform.ts';
import { PROCESS_MARK, processLives } from '../process/alive.ts';
import { userDir } from './user-dir.ts';

/** `memory`: what is put there never reaches a disk, where the system has a place for that. */
export function makeTempDir(prefix: string, { memory = false }: { readonly memory?: boolean } = {}): string {
  sweepTempDirs();
  const base = (memory ? inMemory() : null) ?? userDir(SCRATCH) ?? tmpdir();
  const path = join(base, `${newId(prefix)}@${PROCESS_MARK}`);
  io.mkdir(path);
  return path;
}

/** One for people to look into, who remove it when they like. */
export function makeOpenTempDir(prefix: string): string {
  const path = join(tmpdir(), newId(prefix));
  io.mkdir(path);
  return path;
}

/** Removes what processes that are gone have left. */
export function sweepTempDirs(): void {
  for (const base of [userDir(SCRATCH), inMemory()]) {
    if (base === null) continue;
    for (const path of io.readNames(base).map((name) => join(base, name)))
      if (isLeft(path)) removeQuietly(path);
  }
}

const SCRATCH = 'scratch';
const MARKED = /@(\d+\.\d+\.\d+\.[0-9a-f]+)?$/;
const HOUR_MS = 3_600_000;

/** Whose process is gone; where that cannot be told, in a container or on another machine, what is old. */
function isLeft(path: string): boolean {
  const found = MARKED.exec(path);
  if (!found) return false;
  const mark = found[1] ?? '';
  const here = mark !== '' && mark.split('.')[3] === PROCESS_MARK.split('.')[3];
  const lives = here ? processLives(mark) : null;
  // A git that outlives the process that started it writes on; what settles an unfinished rebase waits for its lock.
  if (lives !== null) return !lives && isOld(join(path, 'index.lock'));
  return isOld(path);
}

/** Also where it is gone. */
function isOld(path: string): boolean {
  const { mtimeMs = Number.NEGATIVE_INFINITY } = io.lstat(path) ?? {};
  return Date.now() - mtimeMs > HOUR_MS;
}

function removeQuietly(path: string): void {
  try {
    removeTree(path);
  } catch {} // Somebody else removes it too, or tests left what cannot be removed.
}

/** Linux keeps this in memory; a directory in it that is this user's alone. Null where there is none. */
function inMemory(): string | null {
  if (!platform.proc) return null;
  const dir = `/dev/shm/vibe-engine-${process.getuid!()}`;
  try {
    if (!io.lstat(dir)) io.mkdir(dir, 0o700);
    const found = io.lstat(dir)!;
    const own = found.isDirectory() && found.uid === process.getuid!() && (found.mode & 0o077) === 0;
    return own ? dir : null;
  } catch {
    return null;
  }
}
