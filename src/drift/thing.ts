/** What is at a path of a worktree, whatever became of the directories above it. */
import { join } from 'node:path';
import * as io from '../system/io.ts';

/** Null when nothing is there, also where a file has taken the place of a directory. */
export function thingAt(toplevel: string, path: string): ReturnType<typeof io.lstat> {
  try {
    return io.lstat(join(toplevel, path));
  } catch (error) {
    if (io.errnoOf(error) === 'ENOTDIR') return null;
    throw error;
  }
}
