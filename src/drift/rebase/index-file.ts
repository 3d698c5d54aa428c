/** The user's index, under git's own lock: another git process that stages or commits has to wait. */
import { hostname } from 'node:os';
import { join } from 'node:path';
import { placeFile, readIfExists, removeIfExists, syncDir, writeAll } from '../../system/files.ts';
import * as io from '../../system/io.ts';
import { jsonIn } from '../../system/json.ts';
import { isAlive, markOf, type ProcessMark } from '../../system/process/alive.ts';
import type { RepositoryPaths } from '../place.ts';
import { refused } from './conditions.ts';

/** Returns a function that releases it. The lock names its owner, so that a leftover of a crash can be told from git's. */
export function lockIndex(place: RepositoryPaths, whose: string): () => void {
  const path = lockOf(place);
  let file: io.OpenFile;
  try {
    file = io.open(path, 'wx');
  } catch (error) {
    if (io.errnoOf(error) !== 'EEXIST') throw error;
    throw refused('changed meanwhile', {
      what: 'the index: another git process is at work, or has left index.lock',
    });
  }
  try {
    writeAll(file, Buffer.from(`${MARK}${whose} ${JSON.stringify(markOf(process.pid))}\n`));
  } finally {
    io.close(file);
  }
  return () => void removeIfExists(path);
}

/** Removes a leftover lock of ours; never one of git's own. */
export function breakLock(place: RepositoryPaths, whose: string): void {
  if (leftLock(place)?.whose === whose) removeIfExists(lockOf(place));
}

/** The lock of a rebase: its owner, and whether its process may still be alive. Null if git, or nobody, holds it. */
export function leftLock(place: RepositoryPaths): { readonly whose: string; readonly alive: boolean } | null {
  const text = readIfExists(lockOf(place), LONGEST_MARK)?.toString() ?? '';
  if (!text.startsWith(MARK)) return null;
  const [whose = '', ...rest] = text.slice(MARK.length).trimEnd().split(' ');
  return { whose, alive: mayLive(rest.join(' ')) };
}

/** A process on another machine cannot be checked here. */
function mayLive(mark: string): boolean {
  const left = jsonIn(mark) as ProcessMark | null | undefined;
  return left?.host !== hostname() || isAlive(left);
}

/** With its time: see `copyIndex`. */
export function installIndex({ git_dir }: RepositoryPaths, from: string): void {
  const path = join(git_dir, 'index');
  const bytes = readIfExists(from);
  const time = io.lstat(from)?.mtimeMs;
  if (bytes === null) removeIfExists(path);
  else placeFile(path, bytes, true, (io.lstat(path)?.mode ?? 0o644) & 0o777);
  if (time !== undefined) io.touch(path, time);
  syncDir(git_dir);
}

function lockOf({ git_dir }: RepositoryPaths): string {
  return join(git_dir, 'index.lock');
}

const MARK = 'vibe-engine ';
const LONGEST_MARK = 4096;
