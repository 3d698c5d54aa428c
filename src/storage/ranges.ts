/** Stretches of journal numbers, both ends inclusive: joined and taken from each other; pure. */
export type Span = readonly [from: number, to: number];

/** In order and apart from each other. */
export function joinSpans(spans: Iterable<Span>): [number, number][] {
  const joined: [number, number][] = [];
  for (const [from, to] of [...spans].sort(([a], [b]) => a - b)) {
    if (from > to) continue;
    const last = joined.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}

export function inSpans(spans: Iterable<Span>, seq: number): boolean {
  for (const [from, to] of spans) if (seq >= from && seq <= to) return true;
  return false;
}

/** Stretches of these numbers, which come in order, that are missing. */
export function gapsAmong(numbers: Iterable<number>, isThere: (seq: number) => boolean): Span[] {
  const gaps: [number, number][] = [];
  for (const seq of numbers) {
    const last = gaps.at(-1);
    if (isThere(seq)) continue;
    if (last?.[1] === seq - 1) last[1] = seq;
    else gaps.push([seq, seq]);
  }
  return gaps;
}

/** What is in the first and not in the second. */
export function withoutSpans(spans: Iterable<Span>, less: Iterable<Span>): Span[] {
  const holes = joinSpans(less);
  return joinSpans(spans).flatMap(([first, last]) => {
    const left: Span[] = [];
    let from = first;
    for (const [holeFrom, holeTo] of holes) {
      if (holeTo < from) continue;
      if (holeFrom > last) break;
      if (holeFrom > from) left.push([from, holeFrom - 1]);
      from = holeTo + 1;
    }
    if (from <= last) left.push([from, last]);
    return left;
  });
}
