/** What is known of the last snapshot, taken by this process or by another. */
import * as io from '../../system/io.ts';
import { isLost, type StoredSnapshot } from '../snapshot/snapshots.ts';
import type { Seen } from './draft.ts';
import { NOTHING_SEEN } from './scan.ts';
import type { StatCache } from './stat-cache.ts';

interface Remembered {
  readonly seen: Seen;
  readonly stored: StoredSnapshot | null;
  /** What it was captured by. */
  readonly rules: string;
  readonly index: string;
  readonly rootStamp: string;
}

export const NOTHING: Remembered = { seen: NOTHING_SEEN, stored: null, rules: '', index: '', rootStamp: '' };

/** From the stat cache and the snapshot it belongs to. */
export async function remembered(
  { head, stampsFor }: StatCache,
  load: (snapshot: string) => Promise<StoredSnapshot>,
): Promise<Remembered> {
  const { snapshot, rules, index, root: rootStamp } = head;
  try {
    const stored = await load(snapshot);
    const stamps = stampsFor(stored.tree);
    return stamps ? { seen: { tree: stored.tree, stamps }, stored, rules, index, rootStamp } : NOTHING;
  } catch (error) {
    if (isLost(error)) return NOTHING; // Or of another store: everything is looked at again.
    throw error;
  }
}

/** The root is in no directory of the workspace. Empty while it is so young that it may change without a trace. */
export function stampOfRoot(root: string, now = Number.POSITIVE_INFINITY): string {
  const stat = io.lstat(root);
  if (!stat || !(stat.mtimeMs < now && stat.ctimeMs < now)) return '';
  return `${stat.ino}:${stat.mtimeMs}:${stat.ctimeMs}`;
}
