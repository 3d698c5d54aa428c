/** What differs between two trees, in ascending order of paths. */
import { type Directory, EMPTY_DIRECTORY, type Entry, joinPath, sameEntry, type Tree } from './tree.ts';

export interface Change {
  readonly path: string;
  /** Null where there was nothing, or is nothing any more. */
  readonly before: Entry | null;
  readonly after: Entry | null;
}

export function diffTrees(a: Tree, b: Tree): Change[] {
  const changes: Change[] = [];
  for (const [path, before] of a) {
    const after = b.get(path) ?? EMPTY_DIRECTORY;
    if (before !== after) diffDirectory(path, before, after, changes);
  }
  for (const [path, after] of b) if (!a.has(path)) diffDirectory(path, EMPTY_DIRECTORY, after, changes);
  return changes.sort((one, other) => (one.path < other.path ? -1 : 1));
}

function diffDirectory(path: string, before: Directory, after: Directory, changes: Change[]): void {
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

/** The tree with the changes made, directories that they do not concern shared with it. */
export function applyChanges(tree: Tree, changes: Iterable<Pick<Change, 'path' | 'after'>>): Tree {
  const next = new Map(tree);
  const byDirectory = new Map<string, Map<string, Entry | null>>();
  for (const { path, after } of changes) {
    const slash = path.lastIndexOf('/');
    const directory = path.slice(0, Math.max(0, slash));
    if (!byDirectory.has(directory)) byDirectory.set(directory, new Map());
    byDirectory.get(directory)!.set(path.slice(slash + 1), after);
  }
  for (const [path, entries] of byDirectory) {
    const merged = mergeDirectory(next.get(path) ?? EMPTY_DIRECTORY, entries);
    next.set(path, merged);
    for (const [name, entry] of entries) {
      const child = joinPath(path, name);
      if (entry?.kind === 'dir') next.set(child, next.get(child) ?? EMPTY_DIRECTORY);
    }
  }
  return withoutStrays(next, byDirectory);
}

function mergeDirectory(directory: Directory, entries: ReadonlyMap<string, Entry | null>): Directory {
  const all = new Map(directory.names.map((name, index) => [name, directory.entries[index]!]));
  for (const [name, entry] of entries) {
    if (entry) all.set(name, entry);
    else all.delete(name);
  }
  const names = [...all.keys()].sort();
  return { names, entries: names.map((name) => all.get(name)!) };
}

/** Drops the content of what is no directory any more. */
function withoutStrays(
  next: Map<string, Directory>,
  changed: ReadonlyMap<string, ReadonlyMap<string, Entry | null>>,
): Tree {
  const gone = new Set<string>();
  for (const [path, entries] of changed) {
    for (const [name, entry] of entries) if (entry?.kind !== 'dir') gone.add(joinPath(path, name));
  }
  const drop = (path: string): void => {
    const directory = next.get(path);
    if (!directory) return;
    next.delete(path);
    for (const [index, name] of directory.names.entries()) {
      if (directory.entries[index]!.kind === 'dir') drop(joinPath(path, name));
    }
  };
  for (const path of gone) drop(path);
  return next;
}
