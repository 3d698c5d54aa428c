/** Makes the tree of a scan from its drafts: what did not change is the same object as before. */

import { Patched } from '../tree/patched.ts';
import { entryAt, joinPath, type TreeDirectory, type TreeEntry } from '../tree/tree.ts';
import { type Draft, type Seen, STAMP } from './draft.ts';

interface Scanned extends Seen {
  /** The directories that can differ from what was seen before; undefined: any. */
  readonly touched: ReadonlySet<string> | undefined;
}

/** `partly`: only the drafts were looked at, all else is as it was. */
export function finishScan(drafts: ReadonlyMap<string, Draft>, seen: Seen, partly: boolean): Scanned {
  const touched = partly ? new Set(drafts.keys()) : undefined;
  const tree = partly ? new Patched(seen.tree) : new Map<string, TreeDirectory>();
  const stamps = partly ? new Patched(seen.stamps) : new Map<string, Float64Array>();
  const drop = (path: string): void => {
    const directory = tree.get(path);
    if (!directory) return;
    touched?.add(path);
    tree.delete(path);
    stamps.delete(path);
    for (const name of directoriesIn(directory)) drop(joinPath(path, name));
  };
  for (const [path, draft] of drafts) {
    const { before } = draft;
    const done = compact(draft);
    if (partly && before && done.directory !== before) {
      const still = new Set(directoriesIn(done.directory));
      for (const name of directoriesIn(before)) if (!still.has(name)) drop(joinPath(path, name));
    }
    tree.set(path, done.directory);
    stamps.set(path, done.stamps);
  }
  // What was looked at below something that turned out to be no directory any more.
  if (partly) {
    for (const path of [...drafts.keys()].sort()) {
      if (path !== '' && entryAt(tree, path)?.kind !== 'dir') drop(path);
    }
  }
  return { tree, stamps, touched };
}

function compact({ names, entries, stamps, before }: Draft): {
  directory: TreeDirectory;
  stamps: Float64Array;
} {
  if (entries === null) return { directory: before!, stamps };
  const kept = entries.includes(undefined)
    ? [...entries.keys()].filter((index) => entries[index] !== undefined)
    : null;
  const directory = kept
    ? { names: kept.map((index) => names[index]!), entries: kept.map((index) => entries[index]!) }
    : { names, entries: entries as TreeEntry[] };
  const left = kept ? new Float64Array(kept.length * STAMP) : stamps;
  for (const [to, from] of kept?.entries() ?? []) {
    left.set(stamps.subarray(from * STAMP, (from + 1) * STAMP), to * STAMP);
  }
  return { directory: before && sameContent(before, directory) ? before : directory, stamps: left };
}

function sameContent(a: TreeDirectory, b: TreeDirectory): boolean {
  if (a.names.length !== b.names.length) return false;
  if (a.names !== b.names && a.names.some((name, index) => name !== b.names[index])) return false;
  return a.entries.every((entry, index) => entry === b.entries[index]);
}

function directoriesIn({ names, entries }: TreeDirectory): string[] {
  return names.filter((_, index) => entries[index]!.kind === 'dir');
}
