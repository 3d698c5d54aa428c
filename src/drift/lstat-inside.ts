/** What is at a path of a worktree, even if directories above it are gone. */
import { join } from 'node:path';
import * as io from '../system/io.ts';

/** Null if it does not exist, also where a file has taken the place of a directory. */
export function lstatInside(toplevel: string, path: string): ReturnType<typeof io.lstat> {
  try {
    return io.lstat(join(toplevel, path));
  } catch (error) {
    if (io.errnoOf(error) === 'ENOTDIR') return null;
    throw error;
  }
}
