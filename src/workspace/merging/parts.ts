/** Three trees and the result of merging them, for every merge strategy. */
import type { TreeConflict } from '../../merge/entry.ts';
import type { LayerChange } from '../snapshot/layer.ts';
import { diffTrees } from '../tree/diff.ts';
import { entryAt, type FileEntry, sameEntry, type Tree, type TreeEntry } from '../tree/tree.ts';

export interface ThreeTrees {
  readonly base: Tree;
  readonly ours: Tree;
  readonly theirs: Tree;
}

export type TreeName = keyof ThreeTrees;

export interface TreeMerge {
  /** Changes to ours that merged without a conflict: ascending by path. */
  readonly changes: readonly LayerChange[];
  readonly conflicts: readonly TreeMergeConflict[];
}

export interface TreeMergeConflict extends Versions {
  readonly path: string;
  /** `text`: both changed the same lines, or the file is not text. */
  readonly kind: TreeConflict | 'text';
}

/** What each tree has of one thing, and where; null where it has nothing. */
export type Versions = Readonly<Record<TreeName, Version | null>>;

export interface Version {
  readonly path: string;
  readonly entry: TreeEntry;
}

export interface MergeServices {
  contents(files: readonly { path: string; entry: FileEntry }[]): Promise<Uint8Array[]>;
  /** Keeps the bytes; returns their SHA-256. */
  keep(bytes: Uint8Array): Promise<string>;
}

export type Captured = Exclude<TreeEntry, { kind: 'omitted' }>;
export type Parts = Readonly<Record<TreeName, ReadonlyMap<string, Captured>>>;

/** What a side changed, in each of the trees: for the rest there is nothing to merge. */
export function changedParts({ base, ours, theirs }: ThreeTrees): Parts {
  const paths = new Set([...diffTrees(base, ours), ...diffTrees(base, theirs)].map(({ path }) => path));
  const part = (tree: Tree): Map<string, Captured> => {
    const entries = new Map<string, Captured>();
    for (const path of paths) {
      const entry = entryAt(tree, path);
      if (entry && entry.kind !== 'omitted') entries.set(path, entry);
    }
    return entries;
  };
  return { base: part(base), ours: part(ours), theirs: part(theirs) };
}

/** What ours does not have already; nothing that belongs to a conflict. */
export function applicable(
  ours: Tree,
  changes: readonly LayerChange[],
  conflicts: readonly TreeMergeConflict[],
): LayerChange[] {
  const open = new Set(
    conflicts.flatMap(({ path, base, ours, theirs }) => [
      path,
      ...[base, ours, theirs].flatMap((version) => version?.path ?? []),
    ]),
  );
  const inTheWay = conflicts.filter(({ kind }) => kind === 'directory/file').map(({ path }) => `${path}/`);
  const isOpen = (path: string) => open.has(path) || inTheWay.some((above) => path.startsWith(above));
  const last = new Map<string, TreeEntry | null>();
  // If one entry is removed and another added, the added one counts.
  for (const { path, after } of changes) last.set(path, after ?? last.get(path) ?? null);
  return [...last]
    .map(([path, after]) => ({ path, after }))
    .filter(({ path, after }) => !isOpen(path) && !sameEntry(entryAt(ours, path), after))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}
