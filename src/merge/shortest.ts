/**
 * Which lines of two files belong together, by the shortest edit that makes one of the other. Lines the other file does
 * not have are set aside first. Where the edit is long, a good one stands in for the shortest, so that the time stays in
 * proportion to the number of lines.
 */

/** A stretch of each of the two files, `to` not included. */
export interface Stretches {
  readonly fromA: number;
  readonly toA: number;
  readonly fromB: number;
  readonly toB: number;
}

/** Edits tried from each end before the best way so far is taken: at first, and once the steps are used up. */
const LOOK_AHEAD = 256;
const LOOK_AHEAD_WEARY = 16;
/** Steps for files of any size, plus some for each line. */
const PATIENCE = 500_000;

/** For each line of `a` its partner in `b`, or -1. Partners ascend. */
export function matchShortest(a: Int32Array, b: Int32Array): Int32Array {
  const partners = new Int32Array(a.length).fill(-1);
  const whole = { fromA: 0, toA: a.length, fromB: 0, toB: b.length };
  matchShortestWithin(a, b, whole, partners, PATIENCE + 16 * (a.length + b.length));
  return partners;
}

/** Writes the partners of the lines within the stretches. After `patience` steps it becomes less thorough. */
export function matchShortestWithin(
  a: Int32Array,
  b: Int32Array,
  within: Stretches,
  partners: Int32Array,
  patience: number,
): void {
  const partA = a.subarray(within.fromA, within.toA);
  const partB = b.subarray(within.fromB, within.toB);
  const linesA = linesAlsoIn(partA, partB);
  const linesB = linesAlsoIn(partB, partA);
  const idsA = linesA.map((line) => partA[line]!);
  const idsB = linesB.map((line) => partB[line]!);
  const halve = halving(idsA, idsB, patience);
  const open: Stretches[] = [{ fromA: 0, toA: idsA.length, fromB: 0, toB: idsB.length }];
  const pair = (inA: number, inB: number) => {
    partners[within.fromA + linesA[inA]!] = within.fromB + linesB[inB]!;
  };
  for (let part = open.pop(); part; part = open.pop()) {
    let { fromA, toA, fromB, toB } = part;
    while (fromA < toA && fromB < toB && idsA[fromA] === idsB[fromB]) pair(fromA++, fromB++);
    while (fromA < toA && fromB < toB && idsA[toA - 1] === idsB[toB - 1]) pair(--toA, --toB);
    if (fromA === toA || fromB === toB) continue;
    const [midA, midB] = halve({ fromA, toA, fromB, toB });
    open.push({ fromA, toA: midA, fromB, toB: midB }, { fromA: midA, toA, fromB: midB, toB });
  }
}

function linesAlsoIn(ids: Int32Array, other: Int32Array): Int32Array {
  const there = new Set(other);
  const lines: number[] = [];
  for (let line = 0; line < ids.length; line++) if (there.has(ids[line]!)) lines.push(line);
  return Int32Array.from(lines);
}

/** One of the two searches, from an end of the part; the one from the far end reads both files backwards. */
interface Front {
  readonly a: Int32Array;
  readonly b: Int32Array;
  /** By diagonal (lines of `a` passed minus lines of `b` passed): the most lines of `a` passed so far, -1 for none. */
  readonly reach: Int32Array;
  /** Which way to go over the diagonals: of equally short edits, the one that takes lines away first, as git does. */
  readonly order: 1 | -1;
}

/** Where to cut a part in two: a point on a shortest way through it, where the searches from both ends meet. */
function halving(
  a: Int32Array,
  b: Int32Array,
  patience: number,
): (part: Stretches) => [midA: number, midB: number] {
  const reachAhead = new Int32Array(a.length + b.length + 3);
  const reachBack = new Int32Array(a.length + b.length + 3);
  const backwardsA = a.toReversed();
  const backwardsB = b.toReversed();
  const middle = b.length + 1;
  let steps = patience;

  return ({ fromA, toA, fromB, toB }) => {
    const ahead: Front = {
      a: a.subarray(fromA, toA),
      b: b.subarray(fromB, toB),
      reach: reachAhead,
      order: -1,
    };
    const back: Front = {
      a: backwardsA.subarray(a.length - toA, a.length - fromA),
      b: backwardsB.subarray(b.length - toB, b.length - fromB),
      reach: reachBack,
      order: 1,
    };
    forget(ahead);
    forget(back);
    const most = steps > 0 ? LOOK_AHEAD : LOOK_AHEAD_WEARY;
    for (let edits = 1; edits <= most; edits++) {
      steps -= 2 * edits;
      const met = advance(ahead, back, edits);
      if (met !== undefined) return pointAhead(met);
      const metBack = advance(back, ahead, edits);
      if (metBack !== undefined) return pointBack(metBack);
    }
    const best = furthest(ahead);
    const bestBack = furthest(back);
    return linesPassed(ahead, best) >= linesPassed(back, bestBack) ? pointAhead(best) : pointBack(bestBack);

    function pointAhead(diagonal: number): [number, number] {
      const passed = reachAhead[middle + diagonal]!;
      return [fromA + passed, fromB + passed - diagonal];
    }

    function pointBack(diagonal: number): [number, number] {
      const passed = reachBack[middle + diagonal]!;
      return [toA - passed, toB - passed + diagonal];
    }
  };

  function forget({ a: partA, b: partB, reach }: Front): void {
    const lowest = -Math.min(partB.length, LOOK_AHEAD) - 1;
    const highest = Math.min(partA.length, LOOK_AHEAD) + 1;
    reach.fill(-1, middle + lowest, middle + highest + 1);
    reach[middle] = 0;
  }

  /** Takes one more edit on every diagonal; returns the diagonal on which the fronts met. */
  function advance(
    { a: partA, b: partB, reach, order }: Front,
    other: Front,
    edits: number,
  ): number | undefined {
    const sizeA = partA.length;
    const sizeB = partB.length;
    const lowest = -edits + 2 * Math.max(0, edits - sizeB);
    const highest = edits - 2 * Math.max(0, edits - sizeA);
    const first = order === 1 ? lowest : highest;
    for (let diagonal = first; diagonal >= lowest && diagonal <= highest; diagonal += 2 * order) {
      const left = reach[middle + diagonal - 1]!;
      const right = reach[middle + diagonal + 1]!;
      let passed = reach[middle + diagonal]!;
      if (left >= passed && left >= 0 && left < sizeA) passed = left + 1;
      if (right > passed && right - diagonal <= sizeB) passed = right;
      if (passed < 0) continue;
      const end = Math.min(sizeA, sizeB + diagonal);
      while (passed < end && partA[passed] === partB[passed - diagonal]) passed++;
      reach[middle + diagonal] = passed;
      const opposite = sizeA - sizeB - diagonal;
      if (Math.abs(opposite) <= edits && passed + other.reach[middle + opposite]! >= sizeA) return diagonal;
    }
    return undefined;
  }

  function furthest(front: Front): number {
    const lowest = -Math.min(front.b.length, LOOK_AHEAD);
    const highest = Math.min(front.a.length, LOOK_AHEAD);
    let best = 0;
    for (let diagonal = lowest; diagonal <= highest; diagonal++) {
      if (linesPassed(front, diagonal) > linesPassed(front, best)) best = diagonal;
    }
    return best;
  }

  /** Of both files together. */
  function linesPassed({ reach }: Front, diagonal: number): number {
    const passed = reach[middle + diagonal]!;
    return passed < 0 ? -1 : 2 * passed - diagonal;
  }
}
