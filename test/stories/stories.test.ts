/** A few random stories; `npm run test:stories` tells 10,000 and looks for the seeded bugs. */
import { expect, test } from 'vitest';
import { SOURCES } from '../crash/mutants.ts';
import { unlessFull } from '../support/full.ts';
import { tellStories } from './campaign.ts';

const COUNT = unlessFull(4, 40);

test('no edit is lost, and none is made twice', async () => {
  const { counts, violations } = await tellStories({ src: SOURCES, seed: 1, count: COUNT, real_kills: 20 });
  expect(violations).toEqual([]);
  expect(counts).toMatchObject({ stories: COUNT, 'real kills': Math.ceil(COUNT / 20) });
});

// A fork keeps what it shares with its task, which is stopped while it does the same again.
test('a mark that a fork keeps may be there twice', async () => {
  const one = { src: SOURCES, seed: 31337, first: 218, count: 1, real_kills: 0 };
  expect((await tellStories(one)).violations).toEqual([]);
});
