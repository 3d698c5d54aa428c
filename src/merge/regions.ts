/**
 * Two sets of changes to one base, side by side. Changes that touch are one region: neither can be placed without the
 * other. A region that one side changed takes that side; where both made the same of it, that; else it is a conflict.
 */
import { diffLines, type Hunk, type Matcher } from './diff.ts';
import { type LineSpan, type Lines, sameLines } from './lines.ts';

export interface Sides {
  readonly base: Lines;
  readonly ours: Lines;
  readonly theirs: Lines;
}

export interface Region {
  readonly kind: 'unchanged' | 'ours' | 'theirs' | 'both' | 'conflict';
  readonly base: LineSpan;
  readonly ours: LineSpan;
  readonly theirs: LineSpan;
}

type Side = 'ours' | 'theirs';

const NO_GROWTH = { base: 0, ours: 0, theirs: 0 };

/** The three files from beginning to end, region by region. */
export function findRegions(sides: Sides, match: Matcher): Region[] {
  const hunks = {
    ours: diffLines(sides.base.ids, sides.ours.ids, match),
    theirs: diffLines(sides.base.ids, sides.theirs.ids, match),
  };
  const next = { ours: 0, theirs: 0 };
  const start = (side: Side) => hunks[side][next[side]]?.before.from ?? Number.POSITIVE_INFINITY;
  const done = { base: 0, ours: 0, theirs: 0 };
  const regions: Region[] = [];
  for (;;) {
    const from = Math.min(start('ours'), start('theirs'), sides.base.ids.length);
    if (from > done.base) add('unchanged', from - done.base, NO_GROWTH);
    const grown = { ...NO_GROWTH };
    const changedBy = new Set<Side>();
    let to = from;
    for (let side = touching(to); side; side = touching(to)) {
      const hunk = hunks[side][next[side]++]!;
      to = Math.max(to, hunk.before.to);
      grown[side] += growth(hunk);
      changedBy.add(side);
    }
    if (changedBy.size === 0) return regions;
    add(changedBy.size === 2 ? 'conflict' : [...changedBy][0]!, to - from, grown);
  }

  function touching(to: number): Side | undefined {
    return start('ours') <= to ? 'ours' : start('theirs') <= to ? 'theirs' : undefined;
  }

  function add(kind: Region['kind'], baseLines: number, grown: Readonly<typeof NO_GROWTH>): void {
    const span = (side: keyof Sides): LineSpan => {
      const from = done[side];
      done[side] += baseLines + grown[side];
      return { from, to: done[side] };
    };
    const region = { kind, base: span('base'), ours: span('ours'), theirs: span('theirs') };
    const agreed = kind === 'conflict' && sameLines(sides.ours, region.ours, sides.theirs, region.theirs);
    regions.push(agreed ? { ...region, kind: 'both' } : region);
  }
}

function growth({ before, after }: Hunk): number {
  return after.to - after.from - (before.to - before.from);
}
