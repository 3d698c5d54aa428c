/** Rounds in which the contenders take turns: whatever else the machine does hits all alike. */
import type { Row } from './results.ts';

export interface Side {
  readonly name: string;
  readonly ours: boolean;
  /** One round's value. */
  measure(round: number): Promise<number>;
  /** Asked for at the end. */
  note?(): string | undefined;
}

/** Who has taken so long is not measured again once it has two rounds. */
const BUDGET_MS = 40_000;

/** The first round does not count. The one that begins changes. A side that fails is left out from then on, with the reason. */
export async function takeRounds(sides: readonly Side[], rounds: number, warmUp = true): Promise<Row[]> {
  const samples = sides.map((): number[] => []);
  const took = sides.map(() => 0);
  const failed = new Map<number, string>();
  for (let round = warmUp ? 0 : 1; round <= rounds; round++) {
    for (let turn = 0; turn < sides.length; turn++) {
      const at = (turn + round) % sides.length;
      if (failed.has(at) || (took[at]! > BUDGET_MS && samples[at]!.length > 1)) continue;
      try {
        const start = performance.now();
        const value = await sides[at]!.measure(round);
        took[at]! += performance.now() - start;
        if (round > 0) samples[at]!.push(value);
      } catch (error) {
        failed.set(at, reasonOf(error));
      }
    }
  }
  return sides.map(({ name, ours, note }, at) => {
    const reason = failed.get(at);
    if (reason !== undefined) return { name, ours, samples: [], failed: reason };
    const text = note?.();
    return { name, ours, samples: samples[at]!.map(threeDigits), ...(text ? { note: text } : {}) };
  });
}

/** One line. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, 300);
}

/** More would only be noise in a file that is read by people. */
export function threeDigits(value: number): number {
  return Number(value.toPrecision(4));
}
