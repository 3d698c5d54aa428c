/** What the samples say: medians, spreads, and how many times as good we are. */
import { median } from '../../harness/rounds.ts';
import type { Row, Table } from '../results.ts';
import { DESCRIPTIONS } from './tables.ts';

/**
 * How many times as good `ours` is as `theirs`, by the rounds that both have: above 1 we are ahead. Null where one of them
 * was not measured.
 */
export function advantage({ id }: Pick<Table, 'id'>, ours: Row, theirs: Row): number | null {
  const rounds = Math.min(ours.samples.length, theirs.samples.length);
  if (rounds === 0) return null;
  const higher = DESCRIPTIONS[id].better === 'higher';
  const ratio = (round: number) => ours.samples[round]! / theirs.samples[round]!;
  return median(Array.from({ length: rounds }, (_, round) => (higher ? ratio(round) : 1 / ratio(round))));
}

export function medianOf({ samples }: Row): string {
  return samples.length === 0 ? '–' : rounded(median(samples));
}

export function spreadOf({ samples }: Row): string {
  return samples.length < 2 ? '–' : `${rounded(Math.min(...samples))} – ${rounded(Math.max(...samples))}`;
}

export function timesOf(value: number | null): string {
  return value === null ? '–' : `${rounded(value)} ×`;
}

/** Three digits that count, thousands apart. */
export function rounded(value: number): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return Number(value.toPrecision(3)).toLocaleString('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}
