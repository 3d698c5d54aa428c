/** Who wrote the lines of a text, and who removed those that it no longer has, from its versions. Pure. */
import { diffLines } from './diff.ts';
import type { Authors } from './hunks.ts';
import { lineReader } from './lines.ts';
import { matchRarest } from './rarest.ts';

interface Version {
  readonly bytes: Uint8Array;
  /** Who made it out of the one before; null where that is not known. */
  readonly by: string | null;
}

export interface Blame {
  /** By the lines of the first version; undefined for one that is in the last, too. */
  readonly removed: Authors;
  /** By the lines of the last version; undefined for one that was in the first. */
  readonly added: Authors;
}

/** Oldest first. */
export function blame(versions: readonly [Version, ...Version[]]): Blame {
  const read = lineReader();
  const [first, ...later] = versions;
  let now = read(first.bytes).ids;
  const removed: (string | null | undefined)[] = new Array(now.length).fill(undefined);
  /** For each line of the current version where it was in the first, or who wrote it. */
  let lines: (number | string | null)[] = [...now.keys()];
  for (const { bytes, by } of later) {
    const next = read(bytes).ids;
    const kept: typeof lines = [];
    let at = 0;
    for (const { before, after } of diffLines(now, next, matchRarest)) {
      for (; at < before.from; at++) kept.push(lines[at]!);
      for (; at < before.to; at++) {
        const line = lines[at]!;
        if (typeof line === 'number') removed[line] = by;
      }
      for (let line = after.from; line < after.to; line++) kept.push(by);
    }
    for (; at < lines.length; at++) kept.push(lines[at]!);
    now = next;
    lines = kept;
  }
  return { removed, added: lines.map((line) => (typeof line === 'number' ? undefined : line)) };
}

/** The authors of the lines of a text, for those that another text has of it; undefined for its other lines. */
export function carried(from: Uint8Array, to: Uint8Array, authors: Authors): Authors {
  const read = lineReader();
  const [a, b] = [read(from).ids, read(to).ids];
  const found: (string | null | undefined)[] = new Array(b.length).fill(undefined);
  let [left, right] = [0, 0];
  const keep = (until: number): void => {
    for (; left < until; left++, right++) found[right] = authors[left];
  };
  for (const { before, after } of diffLines(a, b, matchRarest)) {
    keep(before.from);
    [left, right] = [before.to, after.to];
  }
  keep(a.length);
  return found;
}
