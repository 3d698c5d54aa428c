/** Shared by all writers of files in one workspace: one name for each file, and a lock that only one of them has. */

import { join } from 'node:path';
import { WorkspaceError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { keepOutOfGit } from '../../system/git/out-of-git.ts';
import * as io from '../../system/io.ts';
import { openLocks } from '../../system/locks/locks.ts';
import { ensureDirBelow } from '../../system/own-files.ts';
import { platform } from '../../system/platform.ts';
import { type Locate, locateIn } from './identity.ts';
import type { WriteDirectories } from './put-file.ts';

export interface FileLocks extends WriteDirectories {
  readonly locate: Locate;
  /** Runs a synchronous function that excludes other writers. */
  turn<T>(run: () => T): Promise<T>;
  close(): Promise<void>;
}

export async function openFileLocks(directory: string): Promise<FileLocks> {
  const root = io.realpath(directory);
  if (root === null) throw noDirectory(directory);
  const dir = join(root, '.vibe-engine', '.workspace', 'file-locks');
  ensureDirBelow(join(root, '.vibe-engine'), dir);
  keepOutOfGit(join(root, '.vibe-engine'));
  const locks = await openLocks(dir);
  const locate = locateIn(root, !platform.folds_names);
  const turn = <T>(run: () => T): Promise<T> => locks.exclusively('files', run);
  return { root, stage: join(dir, 'writing'), locate, turn, close: () => locks.close() };
}

function noDirectory(root: string): WorkspaceError {
  return new WorkspaceError('WORKSPACE_UNSAFE', phrase`There is no directory ${root}.`, {
    data: { root },
    hint: phrase`Name the directory of a workspace.`,
  });
}
