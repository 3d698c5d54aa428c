/** A few seconds of two agents on the same files; `npm run test:agents` is a minute on each store. */
import { expect, test } from 'vitest';
import { SOURCES } from '../crash/mutants.ts';
import type { StoreName } from '../crash/stores.ts';
import { seededBugs, unlessFull } from '../support/full.ts';
import { twoAgents } from './campaign.ts';
import { catchMutant, MUTANTS } from './mutants.ts';

const SEED = 20_261_115;

test.for(unlessFull<StoreName[]>(['json'], ['json', 'sqlite', 'postgres']))(
  'two agents edit the same files on %s, are killed, and lose nothing',
  async (store) => {
    const { violations, counts } = await twoAgents(store, {
      src: SOURCES,
      seed: SEED,
      size: unlessFull(2_000, 4_000),
    });
    expect(violations).toEqual([]);
    expect(counts.kills).toBeGreaterThan(0);
    expect(counts['calls: written']).toBeGreaterThan(0);
  },
);

test.for(seededBugs(MUTANTS.slice(0, 2)))('"$name" is caught', async (mutant) => {
  expect(await catchMutant(mutant, SEED, { runs: 10, size: 4_000 })).toBeDefined();
});
