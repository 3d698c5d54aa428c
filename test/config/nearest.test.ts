import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { editDistance, nearest } from '../../src/config/nearest.ts';

test.each([
  ['storage_tpye', 'storage_type'],
  ['demmo', 'demo'],
  ['DEMO', 'demo'],
  ['sqllite', 'sqlite'],
])('%s is probably %s', (typed, meant) => {
  expect(nearest(typed, ['schema', 'storage_type', 'demo', 'sqlite'])).toBe(meant);
});

test('what is far from everything has no nearest', () => {
  expect(nearest('banana', ['json', 'sqlite', 'postgres'])).toBe(undefined);
  expect(nearest('x'.repeat(100_000), ['json'])).toBe(undefined);
});

test('the distance is symmetric, zero only for equals, and one for one slip', () => {
  const word = fc.string({ maxLength: 12 });
  fc.assert(
    fc.property(word, word, (a, b) => {
      expect(editDistance(a, b)).toBe(editDistance(b, a));
      expect(editDistance(a, b) === 0).toBe(a === b);
      expect(editDistance(a, `${a}x`)).toBe(1);
    }),
  );
});
