/** Measuring one figure: a round that does not count, then the rounds that do, and what they come to. */
import type { Bar, Comparison, Figure, Measurement } from '../harness.ts';

export interface FigureResult {
  readonly name: string;
  readonly how: string;
  readonly bar: Bar;
  readonly verdict: 'pass' | 'miss' | 'failed';
  /** The medians, and how far the rounds lie apart; null when measuring failed. */
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

export async function measureFigure(figure: Figure, rounds: number): Promise<FigureResult> {
  const { name, how, bar } = figure;
  try {
    const samples = await measureRounds(await figure.prepare(), rounds);
    const values = samples.map(({ value }) => value);
    const measured = median(values);
    const spread = { min: Math.min(...values), max: Math.max(...values) };
    return { name, how, bar, verdict: meets(bar, measured) ? 'pass' : 'miss', measured, spread, samples };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { name, how, bar, verdict: 'failed', measured: null, spread: null, samples: [], error: reason };
  }
}

async function measureRounds(subject: Comparison | Measurement, rounds: number): Promise<Sample[]> {
  const samples: Sample[] = [];
  try {
    for (let round = 0; round <= rounds; round++) {
      collectGarbage();
      const sample =
        'measure' in subject ? { value: await subject.measure() } : await compare(subject, round);
      if (round > 0) samples.push(sample);
    }
  } finally {
    await subject.close();
  }
  return samples;
}

async function compare(sides: Comparison, round: number): Promise<Sample> {
  const floorFirst = round % 2 === 0;
  const first = await (floorFirst ? sides.floor() : sides.subject());
  const second = await (floorFirst ? sides.subject() : sides.floor());
  const [floor, subject] = floorFirst ? [first, second] : [second, first];
  return { value: subject / floor, floor, subject };
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
