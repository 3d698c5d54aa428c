/** Who wrote the lines of a text, and who removed those that it no longer has, from its versions. Pure. */
import { diffLines } from './diff.ts';
import type { TextHunk } from './hunks.ts';
import { lineReader } from './lines.ts';
import { matchRarest } from './rarest.ts';

interface Version<M> {
  readonly bytes: Uint8Array;
  /** Who made it out of the one before. */
  readonly by: M;
}

export type Makers<M> = readonly (M | undefined)[];

export interface Blame<M> {
  /** By the lines of the first version; undefined for one that is in the last, too. */
  readonly removed: Makers<M>;
  /** By the lines of the last version; undefined for one that was in the first. */
  readonly added: Makers<M>;
}

/** Oldest first. */
export function blame<M extends object | string | null>(
  versions: readonly [Version<M>, ...Version<M>[]],
): Blame<M> {
  const read = lineReader();
  const [first, ...later] = versions;
  let now = read(first.bytes).ids;
  const removed: (M | undefined)[] = new Array(now.length).fill(undefined);
  /** For each line of the current version where it was in the first, or who wrote it. */
  let lines: (number | M)[] = [...now.keys()];
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

/** The makers of the lines of a text, for those that another text has of it; undefined for its other lines. */
export function carried<M>(from: Uint8Array, to: Uint8Array, makers: Makers<M>): Makers<M> {
  const read = lineReader();
  const [a, b] = [read(from).ids, read(to).ids];
  const found: (M | undefined)[] = new Array(b.length).fill(undefined);
  let [left, right] = [0, 0];
  const keep = (until: number): void => {
    for (; left < until; left++, right++) found[right] = makers[left];
  };
  for (const { before, after } of diffLines(a, b, matchRarest)) {
    keep(before.from);
    [left, right] = [before.to, after.to];
  }
  keep(a.length);
  return found;
}

/** Who made the lines that a hunk removes and adds, where that is known. */
export function makersIn<M>(
  { before, after, lines }: Pick<TextHunk, 'before' | 'after' | 'lines'>,
  { removed, added }: Blame<M>,
): Set<M> {
  const found = new Set<M>();
  // A stretch of no lines counts from the line before it.
  let [old, now] = [before, after].map(({ start, count }) => (count > 0 ? start - 1 : start)) as [
    number,
    number,
  ];
  for (const { kind } of lines) {
    const maker = kind === 'remove' ? removed[old] : kind === 'add' ? added[now] : undefined;
    if (maker !== undefined) found.add(maker);
    if (kind !== 'add') old += 1;
    if (kind !== 'remove') now += 1;
  }
  return found;
}
