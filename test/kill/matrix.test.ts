/** A short run of the kill matrix; `npm run test:kill` is the whole of it, with 1,000 kills at random instants. */
import { expect, test } from 'vitest';
import { SOURCES } from '../crash/mutants.ts';
import type { StoreName } from '../crash/stores.ts';
import { unlessFull } from '../support/full.ts';
import { matrix, spread } from './campaigns.ts';
import type { Point } from './trap.ts';

const SEED = 20_261_115;
const EVERY = unlessFull(120, 12);

/** At some of the calls that change the store, before one and after another; and at a sample of all other points. */
function someCalls(points: readonly Point[]): Point[] {
  const isCall = (point: Point): boolean => point.startsWith('call');
  const calls = points.filter(isCall).filter((_, i) => i % EVERY === 0 || i % EVERY === 5);
  return [
    ...calls,
    ...spread(
      points.filter((point) => !isCall(point)),
      unlessFull(2, 8),
    ),
  ];
}

const CHOICES: readonly [StoreName, (points: readonly Point[]) => Point[]][] = [
  ['json', someCalls],
  ['sqlite', (points) => spread(points, unlessFull(2, 3))],
  ['postgres', (points) => spread(points, unlessFull(2, 3))],
];

test.for(CHOICES)('a task killed anywhere goes on and finishes on %s', async ([store, choose]) => {
  const report = await matrix(store, { src: SOURCES, seed: SEED, choose, once: true });
  expect(report.violations).toEqual([]);
  expect(report.counts.kills).toBeGreaterThan(0);
});
