/** Where a conflict is put for people to look at: beside the workspace's own files, so that nobody's file gets markers. */
import { join } from 'node:path';
import { replaceFile } from '../../system/files.ts';
import { newId } from '../../system/ids.ts';
import { ensureDirBelow } from '../../system/own-files.ts';

export function conflictsIn(root: string): string {
  return join(root, '.vibe-engine', 'conflicts');
}

/** Answers where it is. */
export function keepConflict(root: string, path: string, content: Uint8Array): string {
  const copy = join(conflictsIn(root), newId('c'), ...path.split('/'));
  ensureDirBelow(join(root, '.vibe-engine'), join(copy, '..'));
  replaceFile(copy, content);
  return copy;
}
