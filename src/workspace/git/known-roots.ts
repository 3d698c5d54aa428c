/**
 * Directories this user has worked in, remembered outside every store: a store may have come with a clone, and git is not
 * run in a directory that only a store names.
 */
import * as io from '../../system/io.ts';
import { isRemembered, rememberThat } from '../../system/user/remembered.ts';

const remembered = new Set<string>();

export function rememberRoot(root: string): void {
  if (remembered.has(root)) return;
  remembered.add(root);
  rememberThat('places', io.realpath(root) ?? root);
}

export function isKnownRoot(root: string): boolean {
  return isRemembered('places', io.realpath(root) ?? root);
}
