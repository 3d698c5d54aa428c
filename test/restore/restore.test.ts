/** A few random rounds; `npm run test:restore` plays 10,000 and looks for the seeded bugs. */
import { expect, test } from 'vitest';
import { SOURCES } from '../crash/mutants.ts';
import { playRounds } from './campaign.ts';

test('every difference is named, and nothing of a person’s is lost', async () => {
  const { counts, violations } = await playRounds({ src: SOURCES, seed: 1, count: 30 });
  expect(violations).toEqual([]);
  expect(counts.rounds).toBe(30);
});
