/**
 * Clean merges that a person should still look at. The one known kind: both sides added the same block, or nearly the same,
 * at places that do not touch, and now it is there twice.
 */

import { bytesOf, type LineSpan, type Lines } from './lines.ts';
import type { Region, Sides } from './regions.ts';

export interface ReviewNote {
  readonly kind: 'added twice';
  /** The lines of each side's file in which the block stands. */
  readonly ours: LineSpan;
  readonly theirs: LineSpan;
  /** How many lines the two have in common, indentation apart. */
  readonly shared: number;
}

/** The smaller block is found in the other to this part. */
const ALIKE = 0.5;

export function findDoubles(sides: Sides, regions: readonly Region[]): ReviewNote[] {
  const byTheirs = regions
    .filter(({ kind }) => kind === 'theirs')
    .map((region) => addition(sides, region, 'theirs'));
  const holders = new Map<string, Set<Addition>>();
  for (const block of byTheirs) {
    for (const line of block.lines) {
      const known = holders.get(line);
      if (known) known.add(block);
      else holders.set(line, new Set([block]));
    }
  }
  const notes: ReviewNote[] = [];
  const isNew = newTo(sides.base);
  for (const region of regions) {
    if (region.kind !== 'ours' || holders.size === 0) continue;
    const block = addition(sides, region, 'ours');
    const others = new Set(block.lines.flatMap((line) => [...(holders.get(line) ?? [])]));
    for (const other of others) {
      const shared = inBoth(block.lines, other.lines);
      const alike = shared.length >= ALIKE * Math.min(block.lines.length, other.lines.length);
      if (alike && shared.some(isNew)) {
        notes.push({
          kind: 'added twice',
          ours: block.span,
          theirs: other.span,
          shared: shared.length,
        });
      }
    }
  }
  return notes;
}

interface Addition {
  readonly span: LineSpan;
  /** Those the region did not have before, without indentation. */
  readonly lines: readonly string[];
}

function addition(sides: Sides, region: Region, side: 'ours' | 'theirs'): Addition {
  const before = telling(sides.base, region.base);
  const after = telling(sides[side], region[side]);
  return { span: region[side], lines: without(after, before) };
}

/** The lines that say something: a brace or a blank occurs twice for no reason. */
function telling(lines: Lines, span: LineSpan): string[] {
  return Buffer.from(bytesOf(lines, span))
    .toString('latin1')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.length >= 4 && /[\w\x80-\xff]/.test(line));
}

function without(lines: readonly string[], taken: readonly string[]): string[] {
  const left = tally(taken);
  return lines.filter((line) => !takeOne(left, line));
}

function inBoth(lines: readonly string[], others: readonly string[]): string[] {
  const left = tally(others);
  return lines.filter((line) => takeOne(left, line));
}

function tally(lines: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

function takeOne(counts: Map<string, number>, line: string): boolean {
  const count = counts.get(line) ?? 0;
  if (count > 0) counts.set(line, count - 1);
  return count > 0;
}

/** Reads the base only when there is something to ask it. */
function newTo(base: Lines): (line: string) => boolean {
  let known: Set<string> | undefined;
  return (line) => {
    known ??= new Set(telling(base, { from: 0, to: base.ids.length }));
    return !known.has(line);
  };
}
