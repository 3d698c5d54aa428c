/**
 * Which lines of two files belong together, by histogram: the longest stretch that both have, among those built on the
 * rarest lines, is an anchor; what lies before and after it is treated the same way. Rare lines carry meaning; a `}` does
 * not, and is matched only as the neighbour of something that does.
 */

import { matchShortestWithin, type Stretches } from './shortest.ts';

/** A line that occurs more often than this in a region anchors nothing. */
const RARE = 64;
/** Steps per line before the rest is left to the shortest edit: what keeps the time linear whatever the input. */
const STEPS_PER_LINE = 64;
/** Lines that cannot be anchors say little, so little time is spent on matching them. */
const PATIENCE = 20_000;

/** For each line of `a` its partner in `b`, or -1. Partners ascend. */
export function matchRarest(a: Int32Array, b: Int32Array): Int32Array {
  const partners = new Int32Array(a.length).fill(-1);
  const search = anchorSearch(a, b);
  const open: Stretches[] = [{ fromA: 0, toA: a.length, fromB: 0, toB: b.length }];
  for (let region = open.pop(); region; region = open.pop()) {
    const { fromA, toA, fromB, toB } = trimEnds(a, b, region, partners);
    if (fromA === toA || fromB === toB) continue;
    const anchor = search({ fromA, toA, fromB, toB });
    if (anchor === 'none') continue;
    if (anchor === 'too common') {
      const patience = PATIENCE + 4 * (toA - fromA + toB - fromB);
      matchShortestWithin(a, b, { fromA, toA, fromB, toB }, partners, patience);
      continue;
    }
    const shift = anchor.fromB - anchor.fromA;
    for (let line = anchor.fromA; line < anchor.toA; line++) partners[line] = line + shift;
    open.push({ fromA, toA: anchor.fromA, fromB, toB: anchor.fromB });
    open.push({ fromA: anchor.toA, toA, fromB: anchor.toB, toB });
  }
  return partners;
}

function trimEnds(a: Int32Array, b: Int32Array, region: Stretches, partners: Int32Array): Stretches {
  let { fromA, toA, fromB, toB } = region;
  while (fromA < toA && fromB < toB && a[fromA] === b[fromB]) partners[fromA++] = fromB++;
  while (fromA < toA && fromB < toB && a[toA - 1] === b[toB - 1]) partners[--toA] = --toB;
  return { fromA, toA, fromB, toB };
}

function anchorSearch(
  a: Int32Array,
  b: Int32Array,
): (region: Stretches) => Stretches | 'none' | 'too common' {
  const kinds = [a, b].reduce((most, ids) => ids.reduce((high, id) => Math.max(high, id + 1), most), 0);
  const first = new Int32Array(kinds).fill(-1);
  const count = new Int32Array(kinds);
  const next = new Int32Array(a.length);
  let steps = STEPS_PER_LINE * (a.length + b.length);

  return (region) => {
    const { fromA, toA, fromB, toB } = region;
    for (let line = toA - 1; line >= fromA; line--) {
      const id = a[line]!;
      next[line] = first[id]!;
      first[id] = line;
      count[id]!++;
    }
    const found = longestOfRarest(region);
    for (let line = fromA; line < toA; line++) {
      first[a[line]!] = -1;
      count[a[line]!] = 0;
    }
    steps -= toA - fromA + toB - fromB;
    return found;
  };

  function longestOfRarest({ fromA, toA, fromB, toB }: Stretches): Stretches | 'none' | 'too common' {
    let best: Stretches | undefined;
    let rarity = RARE;
    let common = false;
    let onward = fromB;
    for (let line = fromB; line < toB; line = onward) {
      onward = line + 1;
      const id = b[line]!;
      if (count[id] === 0) continue;
      common = true;
      if (count[id]! > rarity) continue;
      if (steps <= 0) break;
      let covered = -1;
      for (let partner = first[id]!; partner !== -1; partner = next[partner]!) {
        if (partner < covered) continue;
        let startA = partner;
        let startB = line;
        let rarest = count[id]!;
        while (startA > fromA && startB > fromB && a[startA - 1] === b[startB - 1]) {
          startA--;
          startB--;
          rarest = Math.min(rarest, count[a[startA]!]!);
        }
        let endA = partner + 1;
        let endB = line + 1;
        while (endA < toA && endB < toB && a[endA] === b[endB]) {
          rarest = Math.min(rarest, count[a[endA]!]!);
          endA++;
          endB++;
        }
        steps -= endA - startA;
        covered = endA;
        onward = Math.max(onward, endB);
        if (!best || endA - startA > best.toA - best.fromA || rarest < rarity) {
          best = { fromA: startA, toA: endA, fromB: startB, toB: endB };
          rarity = rarest;
        }
      }
    }
    return best ?? (common ? 'too common' : 'none');
  }
}
