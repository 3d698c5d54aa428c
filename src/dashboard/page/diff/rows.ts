/** Hunks as rows of one height, in either layout. Pure. */
import type { Hunk } from '../shapes/types.ts';
import { numbered } from './numbered.ts';
import { type Line, type Pair, pairsOf } from './pairs.ts';

export type Layout = 'unified' | 'split';

export type Row =
  | { readonly kind: 'head'; readonly hunk: Hunk }
  | { readonly kind: 'line'; readonly line: Line }
  | { readonly kind: 'pair'; readonly pair: Pair };

export function rowsOf(hunks: readonly Hunk[], layout: Layout): Row[] {
  return hunks.flatMap((hunk): Row[] => [
    { kind: 'head', hunk },
    ...(layout === 'split'
      ? pairsOf(hunk).map((pair) => ({ kind: 'pair', pair }) as const)
      : numbered(hunk).map((line) => ({ kind: 'line', line }) as const)),
  ]);
}

export function lineCount(hunks: readonly Hunk[]): number {
  return hunks.reduce((sum, { lines }) => sum + lines.length, 0);
}

/** Characters of the longest line. */
export function longestLine(hunks: readonly Hunk[]): number {
  let most = 0;
  for (const { lines } of hunks) for (const { text } of lines) most = Math.max(most, text.length);
  return most;
}

/** Where the heads are; the one that a jump from a row leads to. */
export function jumpFrom(heads: readonly number[], top: number, by: 1 | -1): number {
  const next = by === 1 ? heads.find((at) => at > top) : heads.findLast((at) => at < top);
  return next ?? (by === 1 ? heads.at(-1)! : heads[0]!);
}
