/** Whether files are as the last process left them, judged by names and times only: no snapshot has to be read. */
import * as io from '../../system/io.ts';
import { takeTurn } from '../../system/turn.ts';
import { STAMP, STAYS_OMITTED } from './draft.ts';
import type { StatCache } from './stat-cache.ts';

/** The directories in which a name is not what it was. A directory whose names changed is found through its parent. */
export async function changedSince({ listing, columns }: StatCache, root: string): Promise<Set<string>> {
  const rows = columns.length / STAMP;
  const isAsLeft = (path: string, row: number): boolean => {
    if (columns[4 * rows + row] === STAYS_OMITTED) return true;
    const stat = statOf(path);
    return (
      stat !== null &&
      stat.mtimeMs === columns[row] &&
      stat.ctimeMs === columns[rows + row] &&
      stat.ino === columns[2 * rows + row] &&
      stat.size === columns[3 * rows + row] &&
      stat.mode === columns[4 * rows + row]
    );
  };

  const changed = new Set<string>();
  let row = 0;
  for (const line of listing.split('\n')) {
    const [path, ...names] = line.split('\0') as [string, ...string[]];
    const prefix = path === '' ? `${root}/` : `${root}/${path}/`;
    const first = row;
    if (!names.every((name, index) => isAsLeft(prefix + name, first + index))) changed.add(path);
    row += names.length;
    await takeTurn();
  }
  return changed;
}

/** The root is in no directory of the workspace. Empty while it is so young that it may change without a trace. */
export function stampOfRoot(root: string, now = Number.POSITIVE_INFINITY): string {
  const stat = io.lstat(root);
  if (!stat || !(stat.mtimeMs < now && stat.ctimeMs < now)) return '';
  return `${stat.ino}:${stat.mtimeMs}:${stat.ctimeMs}`;
}

/** Null also if it cannot be read: a full scan finds out why. */
function statOf(path: string): ReturnType<typeof io.lstat> {
  try {
    return io.lstat(path);
  } catch {
    return null;
  }
}
