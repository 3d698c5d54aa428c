/** Measuring one figure: a round that does not count, then the rounds that do, and what they come to. */
import type { Bar, Comparison, Figure, Measurement } from '../harness.ts';

export interface FigureResult {
  readonly name: string;
  readonly how: string;
  readonly bar: Bar;
  readonly verdict: 'pass' | 'miss' | 'failed';
  /** The median, and how far the rounds lie apart; null when measuring failed. */
  readonly measured: number | null;
  readonly spread: { readonly min: number; readonly max: number } | null;
  /** One per round that counts, in order. */
  readonly samples: readonly Sample[];
  /** Why measuring failed. */
  readonly error?: string;
}

export interface Sample {
  readonly value: number;
  /** The rates behind the ratio of a comparison. */
  readonly floor?: number;
  readonly subject?: number;
}

/** Comparisons are cheap and noisy, measurements often start a process each. */
const ROUNDS_OF_COMPARISON = 41;
const ROUNDS_OF_MEASUREMENT = 15;
/** Of each side in a round; even, so that each goes first as often as the other. */
const TURNS = 4;

export async function measureFigure(figure: Figure, rounds?: number): Promise<FigureResult> {
  try {
    return resultOf(figure, await measureRounds(await figure.prepare(), rounds));
  } catch (error) {
    return resultOf(figure, error instanceof Error ? error.message : String(error));
  }
}

/** What the rounds come to, or why there are none. */
export function resultOf(
  { name, how, bar }: Pick<Figure, 'name' | 'how' | 'bar'>,
  given: readonly Sample[] | string,
): FigureResult {
  if (typeof given === 'string')
    return { name, how, bar, verdict: 'failed', measured: null, spread: null, samples: [], error: given };
  const values = given.map(({ value }) => value);
  const measured = median(values);
  const spread = { min: Math.min(...values), max: Math.max(...values) };
  return {
    name,
    how,
    bar,
    verdict: meets(bar, measured) ? 'pass' : 'miss',
    measured,
    spread,
    samples: given,
  };
}

async function measureRounds(subject: Comparison | Measurement, given?: number): Promise<Sample[]> {
  const rounds = given ?? ('measure' in subject ? ROUNDS_OF_MEASUREMENT : ROUNDS_OF_COMPARISON);
  const samples: Sample[] = [];
  try {
    for (let round = 0; round <= rounds; round++) {
      collectGarbage();
      const sample = 'measure' in subject ? { value: await subject.measure() } : await compare(subject);
      if (round > 0) samples.push(sample);
    }
  } finally {
    await subject.close();
  }
  return samples;
}

async function compare(sides: Comparison): Promise<Sample> {
  let floor = 0;
  let subject = 0;
  for (let turn = 0; turn < TURNS; turn++) {
    if (turn % 2 === 0) floor += await sides.floor();
    subject += await sides.subject();
    if (turn % 2 === 1) floor += await sides.floor();
  }
  return { value: subject / floor, floor: floor / TURNS, subject: subject / TURNS };
}

/** The bar is held by what was measured, not by what is shown of it. */
export function meets(bar: Bar, measured: number): boolean {
  return 'atLeast' in bar ? measured >= bar.atLeast : measured <= bar.atMost;
}

export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('There is no median of nothing.');
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** With `node --expose-gc`, one round does not pay for another's garbage. */
function collectGarbage(): void {
  globalThis.gc?.();
}
