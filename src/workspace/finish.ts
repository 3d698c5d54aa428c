/** Makes the tree of a scan from its drafts: what did not change is the same object as before. */
import { type Draft, type Seen, STAMP } from './look.ts';
import { type Directory, type Entry, entryAt, joinPath } from './tree.ts';

/** `partly`: only the drafts were looked at, all else is as it was. */
export function finishScan(drafts: ReadonlyMap<string, Draft>, seen: Seen, partly: boolean): Seen {
  const tree = new Map<string, Directory>(partly ? seen.tree : []);
  const stamps = new Map<string, Float64Array>(partly ? seen.stamps : []);
  const drop = (path: string): void => {
    const directory = tree.get(path);
    if (!directory) return;
    tree.delete(path);
    stamps.delete(path);
    for (const [name, entry] of namedEntries(directory)) if (entry.kind === 'dir') drop(joinPath(path, name));
  };
  for (const [path, draft] of drafts) {
    const done = compact(draft);
    const { before } = draft;
    if (partly && before) {
      const still = new Set(done.names.filter((_, index) => done.entries[index]!.kind === 'dir'));
      for (const [name, entry] of namedEntries(before)) {
        if (entry.kind === 'dir' && !still.has(name)) drop(joinPath(path, name));
      }
    }
    tree.set(
      path,
      before && sameContent(before, done) ? before : { names: done.names, entries: done.entries },
    );
    const stampsBefore = seen.stamps.get(path);
    stamps.set(path, stampsBefore && sameBytes(stampsBefore, done.stamps) ? stampsBefore : done.stamps);
  }
  // What was looked at below something that turned out to be no directory any more.
  for (const path of [...drafts.keys()].sort()) {
    if (path !== '' && entryAt(tree, path)?.kind !== 'dir') drop(path);
  }
  return { tree, stamps };
}

function compact({ names, entries, stamps }: Draft): Directory & { stamps: Float64Array } {
  const kept = [...entries.keys()].filter((index) => entries[index] !== undefined);
  if (kept.length === names.length) return { names, entries: entries as Entry[], stamps };
  const left = new Float64Array(kept.length * STAMP);
  for (const [to, from] of kept.entries()) {
    left.set(stamps.subarray(from * STAMP, (from + 1) * STAMP), to * STAMP);
  }
  return {
    names: kept.map((index) => names[index]!),
    entries: kept.map((index) => entries[index]!),
    stamps: left,
  };
}

function sameContent(a: Directory, b: Directory): boolean {
  if (a.names.length !== b.names.length) return false;
  if (a.names !== b.names && a.names.some((name, index) => name !== b.names[index])) return false;
  return a.entries.every((entry, index) => entry === b.entries[index]);
}

function sameBytes(a: Float64Array, b: Float64Array): boolean {
  const bytes = (of: Float64Array) => Buffer.from(of.buffer, of.byteOffset, of.byteLength);
  return bytes(a).equals(bytes(b));
}

function* namedEntries({ names, entries }: Directory): Generator<[string, Entry]> {
  for (const [index, name] of names.entries()) yield [name, entries[index]!];
}
