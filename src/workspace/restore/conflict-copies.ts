/** Where a conflict is written for people to look at: in a separate place, so that no file of the workspace gets markers. */
import { join } from 'node:path';
import { replaceFile } from '../../system/files.ts';
import { newId } from '../../system/ids.ts';
import { ensureDirBelow } from '../../system/own-files.ts';

export function conflictsIn(root: string): string {
  return join(root, '.vibe-engine', 'conflicts');
}

/** Returns its path. */
export function keepConflict(root: string, path: string, content: Uint8Array): string {
  const copy = join(conflictsIn(root), newId('c'), ...path.split('/'));
  ensureDirBelow(join(root, '.vibe-engine'), join(copy, '..'));
  replaceFile(copy, content);
  return copy;
}
