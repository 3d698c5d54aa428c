/** Where the repository of a directory is, found the way git finds it, without starting git. */
import { dirname, join, relative, resolve, sep } from 'node:path';
import { readIfExists } from '../system/files.ts';
import * as io from '../system/io.ts';

export interface RepositoryPaths {
  /** The top of the worktree, links followed. */
  readonly toplevel: string;
  /** The directory that was asked about, relative to the top, with "/" at its end; empty for the top itself. */
  readonly prefix: string;
  /** What belongs to this worktree alone: HEAD, the index, operations in progress. */
  readonly git_dir: string;
  /** What all worktrees of the repository share: refs, objects. The same as `git_dir` unless this is a linked one. */
  readonly common_dir: string;
  /** What is stored of it is encrypted. */
  readonly sealed?: boolean;
}

/** Null outside a worktree. */
export function findRepository(directory: string): RepositoryPaths | null {
  const root = io.realpath(directory);
  if (root === null) return null;
  for (let toplevel = root; ; toplevel = dirname(toplevel)) {
    const git_dir = gitDirectoryIn(toplevel);
    if (git_dir !== null) {
      const below = relative(toplevel, root).split(sep).join('/');
      return {
        toplevel,
        prefix: below === '' ? '' : `${below}/`,
        git_dir,
        common_dir: commonDirectory(git_dir),
      };
    }
    if (dirname(toplevel) === toplevel) return null;
  }
}

/** `.git` is a directory, or a file that names one: in linked worktrees and submodules. */
function gitDirectoryIn(directory: string): string | null {
  const path = join(directory, '.git');
  const found = io.lstat(path);
  if (!found) return null;
  const named = found.isFile()
    ? /^gitdir: (.+?)\r?\n?$/.exec(readIfExists(path)?.toString() ?? '')?.[1]
    : null;
  const git_dir = named ? resolve(directory, named) : path;
  return io.lstat(join(git_dir, 'HEAD')) ? git_dir : null;
}

function commonDirectory(git_dir: string): string {
  const named = readIfExists(join(git_dir, 'commondir'))?.toString().trim();
  return named ? resolve(git_dir, named) : git_dir;
}

export type Operation = 'merge' | 'rebase' | 'cherry-pick' | 'revert' | 'bisect';

/** The git operation in progress in the worktree. */
export function operationIn({ git_dir }: Pick<RepositoryPaths, 'git_dir'>): Operation | null {
  return OPERATIONS.find(([name]) => io.lstat(join(git_dir, name)))?.[1] ?? null;
}

const OPERATIONS: readonly (readonly [file: string, Operation])[] = [
  ['rebase-merge', 'rebase'],
  ['rebase-apply', 'rebase'],
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
];

export function isShallow({ common_dir }: Pick<RepositoryPaths, 'common_dir'>): boolean {
  return shallowCommits({ common_dir }).length > 0;
}

/** The commits whose parents this clone does not have. */
export function shallowCommits({ common_dir }: Pick<RepositoryPaths, 'common_dir'>): string[] {
  return readIfExists(join(common_dir, 'shallow'))?.toString().split('\n').filter(Boolean) ?? [];
}

/** Changes when HEAD does; needs no process. */
export function headStamp({ git_dir }: Pick<RepositoryPaths, 'git_dir'>): string {
  return HEAD_FILES.map((name) => {
    const found = io.lstat(join(git_dir, name));
    return found ? `${found.ino}:${found.size}:${found.mtimeMs}` : '';
  }).join();
}

const HEAD_FILES = ['HEAD', 'logs/HEAD', 'reftable/tables.list'];
