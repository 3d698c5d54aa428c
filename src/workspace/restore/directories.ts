/** Modes of directories in a restore: open while their content is changed, then set to their final modes. */
import { setModeAt } from '../../system/closed.ts';
import { type InsideDirectory, openInside } from '../../system/inside.ts';
import * as io from '../../system/io.ts';
import { RESTORE_PREFIX } from '../tree/names.ts';
import { ALL_BITS, entryAt, parentOf, sameEntry, type Tree, type TreeEntry } from '../tree/tree.ts';

interface DirectoryItem {
  readonly path: string;
  readonly expected: TreeEntry | null;
  readonly target: TreeEntry | null;
}

/** What its owner needs to change things in it. */
export const OWN = 0o700;

/** Read-only directories, opened for the change of their content and closed again. */
export function closedAbove(paths: readonly string[], before: Tree, now: Tree): DirectoryItem[] {
  const changing = new Set(paths);
  const parents = new Set(paths.map(parentOf).filter((path) => !changing.has(path)));
  return [...parents].flatMap((path) => {
    const entry = entryAt(now, path);
    const isClosed = entry?.kind === 'dir' && (entry.mode & OWN) !== OWN;
    return isClosed && sameEntry(entry, entryAt(before, path))
      ? [{ path, expected: entry, target: entry }]
      : [];
  });
}

/** Opens those that a task or a checkpoint closed: what is in them could not be changed. */
export function openDirectories(root: string, items: readonly DirectoryItem[]): void {
  for (const { path, expected, target } of items) {
    if (target?.kind !== 'dir' && expected?.kind !== 'dir') continue;
    setModeInside(root, path, (mode) => mode | OWN);
  }
}

/** False when that is not allowed. One that was to be removed but still holds someone's files is closed again. */
export function closeDirectory(root: string, { path, expected, target }: DirectoryItem): boolean {
  if (target?.kind === 'dir') return setModeInside(root, path, () => target.mode);
  if (target !== null || expected?.kind !== 'dir') return true;
  return setModeInside(root, path, (mode) => (mode === (expected.mode | OWN) ? expected.mode : mode));
}

const FORBIDDEN = new Set(['EACCES', 'EPERM', 'EROFS']);

export function isForbidden(error: unknown): boolean {
  return FORBIDDEN.has(io.errnoOf(error) ?? '');
}

/** Not if something else is there by now. */
function setModeInside(root: string, path: string, wanted: (mode: number) => number): boolean {
  const inside = openInside(root, parentOf(path));
  if (!inside) return true;
  try {
    const at = inside.at(path.slice(path.lastIndexOf('/') + 1));
    const found = io.lstat(at);
    const mode = found ? found.mode & ALL_BITS : 0;
    if (found?.isDirectory() && wanted(mode) !== mode) setModeAt(at, wanted(mode));
    return true;
  } catch (error) {
    if (isForbidden(error)) return false;
    throw error;
  } finally {
    inside.close();
  }
}

/** Null also where it may not be entered. */
export function enterInside(root: string, path: string): InsideDirectory | null {
  let inside: InsideDirectory | null = null;
  try {
    inside = openInside(root, path);
    if (inside) io.lstat(inside.at(RESTORE_PREFIX)); // whether names in it may be looked at
    return inside;
  } catch (error) {
    inside?.close();
    if (isForbidden(error)) return null;
    throw error;
  }
}
