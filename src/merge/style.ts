/**
 * How much of a conflict is shown as one. `diff3`: the region as it is. `zdiff3`: without the lines at its beginning and end
 * that both sides share. `merge`, which shows no base: cut into the stretches in which the two sides really differ.
 */
import { diffLines } from './diff.ts';
import type { LineSpan } from './lines.ts';
import type { Region, Sides } from './regions.ts';
import { matchShortest } from './shortest.ts';

export type ConflictStyle = 'zdiff3' | 'diff3' | 'merge';

/** Conflicts with no more than this many agreed lines between them are easier to read as one. */
const NEAR = 3;

export function inStyle(style: ConflictStyle, sides: Sides, regions: readonly Region[]): readonly Region[] {
  if (style === 'diff3') return regions;
  const cut = style === 'zdiff3' ? trimmed : split;
  const cutRegions = regions.flatMap((region) =>
    region.kind === 'conflict' ? cut(sides, region) : [region],
  );
  return style === 'zdiff3' ? cutRegions : joinNear(cutRegions);
}

function trimmed(sides: Sides, { base, ours, theirs }: Region): Region[] {
  const most = Math.min(lengthOf(ours), lengthOf(theirs));
  const { ids: a } = sides.ours;
  const { ids: b } = sides.theirs;
  let head = 0;
  while (head < most && a[ours.from + head] === b[theirs.from + head]) head++;
  let tail = 0;
  while (head + tail < most && a[ours.to - 1 - tail] === b[theirs.to - 1 - tail]) tail++;
  return pieces(base, ours, theirs, [
    {
      before: { from: head, to: lengthOf(ours) - tail },
      after: { from: head, to: lengthOf(theirs) - tail },
    },
  ]);
}

function split(sides: Sides, region: Region): Region[] {
  const { base, ours, theirs } = region;
  if (lengthOf(ours) === 0 || lengthOf(theirs) === 0) return [region];
  const inOurs = sides.ours.ids.subarray(ours.from, ours.to);
  const inTheirs = sides.theirs.ids.subarray(theirs.from, theirs.to);
  return pieces(base, ours, theirs, diffLines(inOurs, inTheirs, matchShortest));
}

/** The hunks, counted from the beginning of each side, as conflicts; what lies between them both have. */
function pieces(
  base: LineSpan,
  ours: LineSpan,
  theirs: LineSpan,
  hunks: readonly { readonly before: LineSpan; readonly after: LineSpan }[],
): Region[] {
  const regions: Region[] = [];
  let [doneOurs, doneTheirs] = [ours.from, theirs.from];
  const agreedUpTo = (upTo: number, upToTheirs: number) => {
    if (upTo > doneOurs) {
      regions.push({
        kind: 'both',
        base: { from: base.to, to: base.to },
        ours: { from: doneOurs, to: upTo },
        theirs: { from: doneTheirs, to: upToTheirs },
      });
    }
  };
  for (const { before, after } of hunks) {
    agreedUpTo(ours.from + before.from, theirs.from + after.from);
    doneOurs = ours.from + before.to;
    doneTheirs = theirs.from + after.to;
    regions.push({
      kind: 'conflict',
      base,
      ours: { from: ours.from + before.from, to: doneOurs },
      theirs: { from: theirs.from + after.from, to: doneTheirs },
    });
  }
  agreedUpTo(ours.to, theirs.to);
  return regions;
}

function joinNear(regions: readonly Region[]): Region[] {
  const joined: Region[] = [];
  let last = -1;
  for (const region of regions) {
    const near = joined[last];
    if (region.kind === 'conflict' && near && region.ours.from - near.ours.to <= NEAR) {
      joined.splice(last, joined.length - last, {
        kind: 'conflict',
        base: hull(near.base, region.base),
        ours: hull(near.ours, region.ours),
        theirs: hull(near.theirs, region.theirs),
      });
      continue;
    }
    joined.push(region);
    if (region.kind === 'conflict') last = joined.length - 1;
    else if (region.kind === 'ours' || region.kind === 'theirs') last = -1;
  }
  return joined;
}

function hull(first: LineSpan, second: LineSpan): LineSpan {
  return { from: first.from, to: Math.max(first.to, second.to) };
}

function lengthOf(span: LineSpan): number {
  return span.to - span.from;
}
