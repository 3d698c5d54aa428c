/** A few random rounds; `npm run test:restore` plays 10,000 and looks for the seeded bugs. */
import { expect, test } from 'vitest';
import { SOURCES } from '../crash/mutants.ts';
import { unlessFull } from '../support/full.ts';
import { playRounds } from './campaign.ts';

const COUNT = unlessFull(6, 30);

test('every difference is named, and nothing of a person’s is lost', async () => {
  const { counts, violations } = await playRounds({ src: SOURCES, seed: 1, count: COUNT });
  expect(violations).toEqual([]);
  expect(counts.rounds).toBe(COUNT);
});
