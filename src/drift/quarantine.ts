/**
 * Runs git on the user's worktree with a separate index and object directory, so that nothing tried there changes the
 * repository.
 */
import { join } from 'node:path';
import { placeFileUnsynced, readIfExists, removeTree } from '../system/files.ts';
import * as io from '../system/io.ts';
import { makeTempDir, removeQuietly } from '../system/user/temp.ts';
import { type Git, gitAt } from './git.ts';
import type { RepositoryPaths } from './place.ts';

export interface Quarantine {
  readonly git: Git;
  readonly dir: string;
  /** New objects go there; those of the repository are seen. */
  readonly objects: string;
  /** A copy of the user's. */
  readonly index: string;
  readonly env: Readonly<Record<string, string>>;
  remove(): void;
}

export function openQuarantine(place: RepositoryPaths): Quarantine {
  // Git does not encrypt: if the store is encrypted, the data must not reach a disk.
  const dir = makeTempDir('ve-drift', { memory: place.sealed ?? false });
  const objects = join(dir, 'objects');
  const index = join(dir, 'index');
  try {
    io.mkdir(objects);
    io.mkdir(join(objects, 'info'));
    const theirs = Buffer.from(`${join(place.common_dir, 'objects')}\n`);
    placeFileUnsynced(join(objects, 'info', 'alternates'), theirs);
    copyIndex(join(place.git_dir, 'index'), index);
  } catch (error) {
    removeTree(dir);
    throw error;
  }
  const env = { GIT_OBJECT_DIRECTORY: objects, GIT_INDEX_FILE: index, ...IDENTITY };
  const git = gitAt(place, { env }, [...ON_COPIED_INDEX, ...NOTHING_ELSEWHERE]);
  return { git, dir, objects, index, env, remove: () => removeQuietly(dir) };
}

/** With its time: git trusts what it noted of files that were changed before the index was written, and no others. */
export function copyIndex(from: string, to: string): void {
  const bytes = readIfExists(from);
  const time = io.lstat(from)?.mtimeMs;
  if (bytes === null || time === undefined) return;
  placeFileUnsynced(to, bytes);
  io.touch(to, time);
}

/** For temporary commits. */
const IDENTITY = {
  GIT_AUTHOR_NAME: 'vibe-engine',
  GIT_AUTHOR_EMAIL: 'vibe-engine@localhost',
  GIT_COMMITTER_NAME: 'vibe-engine',
  GIT_COMMITTER_EMAIL: 'vibe-engine@localhost',
};

/** Turns off what would write next to a copied index, or fail on line endings. */
export const ON_COPIED_INDEX: readonly string[] = [
  '-c',
  'core.splitIndex=false',
  '-c',
  'core.untrackedCache=false',
  '-c',
  'core.safecrlf=false',
];

/**
 * A filter that stores files elsewhere (such as LFS) must not store what is only tried. Anything that reads the index may
 * run it.
 */
const NOTHING_ELSEWHERE: readonly string[] = [
  '-c',
  'filter.lfs.process=',
  '-c',
  'filter.lfs.clean=',
  '-c',
  'filter.lfs.required=false',
];
