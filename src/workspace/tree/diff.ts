/** What differs between two trees, in ascending order of paths. */
import { Patched } from './patched.ts';
import {
  EMPTY_DIRECTORY,
  joinPath,
  omittedAbove,
  sameEntry,
  type Tree,
  type TreeDirectory,
  type TreeEntry,
} from './tree.ts';

export interface TreeChange {
  readonly path: string;
  /** Null where there was nothing, or is nothing any more. */
  readonly before: TreeEntry | null;
  readonly after: TreeEntry | null;
}

/** `only`: the directories that can differ; default: all, but for those that the trees share. */
export function diffTrees(
  a: Tree,
  b: Tree,
  only: Iterable<string> | undefined = Patched.between(a, b),
): TreeChange[] {
  const changes: TreeChange[] = [];
  for (const path of only ?? a.keys()) {
    const before = a.get(path) ?? EMPTY_DIRECTORY;
    const after = b.get(path) ?? EMPTY_DIRECTORY;
    if (before !== after) diffDirectory(path, before, after, changes);
  }
  if (!only)
    for (const [path, after] of b) if (!a.has(path)) diffDirectory(path, EMPTY_DIRECTORY, after, changes);
  return changes.sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** The same, but the content of a directory that was not captured counts as not captured, rather than as absent. */
export function diffKnown(a: Tree, b: Tree): TreeChange[] {
  return withOmitted(diffTrees(a, b), a, b);
}

export function withOmitted(changes: readonly TreeChange[], a: Tree, b: Tree): TreeChange[] {
  return changes.map((change) => {
    const { path, before, after } = change;
    if (before && after) return change;
    return { path, before: before ?? omittedAbove(a, path), after: after ?? omittedAbove(b, path) };
  });
}

function diffDirectory(
  path: string,
  before: TreeDirectory,
  after: TreeDirectory,
  changes: TreeChange[],
): void {
  let i = 0;
  let j = 0;
  while (i < before.names.length || j < after.names.length) {
    const left = before.names[i];
    const right = after.names[j];
    const name = right === undefined || (left !== undefined && left < right) ? left! : right;
    const was = left === name ? before.entries[i++]! : null;
    const is = right === name ? after.entries[j++]! : null;
    if (!sameEntry(was, is)) changes.push({ path: joinPath(path, name), before: was, after: is });
  }
}
