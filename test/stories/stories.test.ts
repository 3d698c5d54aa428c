/** A few random stories; `npm run test:stories` tells 10,000 and looks for the seeded bugs. */
import { expect, test } from 'vitest';
import { SOURCES } from '../crash/mutants.ts';
import { tellStories } from './campaign.ts';

test('no edit is lost, and none is made twice', async () => {
  const { counts, violations } = await tellStories({ src: SOURCES, seed: 1, count: 40, real_kills: 20 });
  expect(violations).toEqual([]);
  expect(counts).toMatchObject({ stories: 40, 'real kills': 2 });
});
