import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { thin } from '../../src/checkpoint/cleanup/retention.ts';

/** Adds checkpoints one by one, as a task does, and answers what is left after each. */
function* additions(numbers: readonly number[], limit: number, every: number): Generator<number[]> {
  let kept: number[] = [];
  for (const number of numbers) {
    const added = [...kept, number];
    const gone = new Set(thin(added, limit, every));
    kept = added.filter((sequence) => !gone.has(sequence));
    yield kept;
  }
}
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('thin', () => {
  it('removes nothing up to the limit', () => {
    expect(thin(upTo(20), 20, 5)).toEqual([]);
    expect(thin([], 20, 5)).toEqual([]);
  });

  it('keeps the first, the last and every fifth between when one too many is added', () => {
    expect([...additions(upTo(21), 20, 5)].at(-1)).toEqual([1, 5, 10, 15, 20, 21]);
  });

  it('thins further when every fifth is too many', () => {
    const left = thin(upTo(1_000), 20, 5);
    const kept = upTo(1_000).filter((sequence) => !left.includes(sequence));
    expect(kept).toEqual([1, 80, 160, 240, 320, 400, 480, 560, 640, 720, 800, 880, 960, 1_000]);
  });

  it('ends with the smallest limit and the largest numbers', () => {
    const sequences = [0, 2 ** 40, 2 ** 52, Number.MAX_SAFE_INTEGER];
    expect(thin(sequences, 2, 1)).toEqual([2 ** 40, 2 ** 52]);
  });

  it('holds the limit after any additions and never takes the first or the last', () => {
    const gaps = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 200 });
    const limits = fc.integer({ min: 2, max: 30 });
    fc.assert(
      fc.property(gaps, limits, fc.integer({ min: 1, max: 12 }), (steps, limit, every) => {
        let number = -1;
        const numbers = steps.map((step) => {
          number += step;
          return number;
        });
        let index = 0;
        for (const kept of additions(numbers, limit, every)) {
          expect(kept.length).toBeLessThanOrEqual(limit);
          expect(kept[0]).toBe(numbers[0]);
          expect(kept.at(-1)).toBe(numbers[index++]);
        }
      }),
    );
  });

  it('keeps of those between only samples whenever it removes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 3, max: 400 }), fc.integer({ min: 2, max: 30 }), (count, limit) => {
        const gone = new Set(thin(upTo(count), limit, 5));
        if (gone.size === 0) return;
        const between = upTo(count)
          .slice(1, -1)
          .filter((sequence) => !gone.has(sequence));
        expect(between.every((sequence) => sequence % 5 === 0)).toBe(true);
      }),
    );
  });
});
