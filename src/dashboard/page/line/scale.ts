/**
 * Where a time lies on the thread. Idle time is folded to a fixed width, so that a night does not squeeze an hour of work;
 * marks that would touch are moved apart, and everything between them moves along. Pure.
 */

interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Scale {
  /** From left to right, in pixels. */
  at(time: number): number;
  /** The folded stretches, where they are drawn. */
  readonly folds: readonly { readonly from: number; readonly to: number; readonly ms: number }[];
}

/** What a folded gap is wide. */
const FOLD = 46;

/** Straight but for the folds. */
export function foldedScale(whole: Span, gaps: readonly Span[], width: number): Scale {
  const inside = gaps
    .map(({ from, to }) => ({ from: Math.max(from, whole.from), to: Math.min(to, whole.to) }))
    .filter(({ from, to }) => to > from)
    .sort((a, b) => a.from - b.from);
  const folded = Math.min(FOLD, width / (2 * Math.max(1, inside.length)));
  const active = whole.to - whole.from - inside.reduce((sum, { from, to }) => sum + to - from, 0);
  const perMs = active > 0 ? (width - folded * inside.length) / active : 0;
  const points: Point[] = [{ time: whole.from, x: 0 }];
  for (const { from, to } of inside) {
    const last = points.at(-1)!;
    const x = last.x + (from - last.time) * perMs;
    points.push({ time: from, x }, { time: to, x: x + folded });
  }
  points.push({ time: Math.max(whole.to, whole.from + 1), x: width });
  const at = through(points);
  return { at, folds: inside.map(({ from, to }) => ({ from: at(from), to: at(to), ms: to - from })) };
}

interface Point {
  readonly time: number;
  readonly x: number;
}

/** Straight between the points, which are in order; the ends are not left. */
export function through(points: readonly Point[]): (time: number) => number {
  return (time) => {
    let low = 0;
    let high = points.length - 1;
    if (time <= points[low]!.time) return points[low]!.x;
    if (time >= points[high]!.time) return points[high]!.x;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (points[middle]!.time <= time) low = middle;
      else high = middle;
    }
    const a = points[low]!;
    const b = points[high]!;
    return b.time === a.time ? b.x : a.x + ((time - a.time) / (b.time - a.time)) * (b.x - a.x);
  };
}

/** The places, in order, moved as little as it takes to be so far apart; less far where there is no room. */
export function spread(ideal: readonly number[], width: number, apart: number): number[] {
  const step = Math.min(apart, ideal.length > 1 ? width / (ideal.length - 1) : apart);
  const places: number[] = [];
  for (const x of ideal) places.push(Math.max(x, places.length === 0 ? 0 : places.at(-1)! + step));
  let limit = width;
  for (let at = places.length - 1; at >= 0; at -= 1) {
    places[at] = Math.min(places[at]!, limit);
    limit = places[at]! - step;
  }
  return places.map((x) => Math.max(0, x));
}
