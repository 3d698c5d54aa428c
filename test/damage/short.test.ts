/** A few damaged stores of each kind; `npm run test:damage` is the long run. */
import { expect, test } from 'vitest';
import { SOURCES } from '../crash/mutants.ts';
import { damage } from './campaign.ts';
import { catchMutant, MUTANTS } from './mutants.ts';

const SEED = 20_261_116;

test.for([
  { store: 'json', encrypted: false, git: true, size: 12 },
  { store: 'json', encrypted: true, git: false, size: 8 },
  { store: 'sqlite', encrypted: false, git: false, size: 12 },
  { store: 'postgres', encrypted: false, git: false, size: 12 },
] as const)(
  '$store, sealed: $encrypted: every damaged task resumes or says why not',
  {
    timeout: 300_000,
  },
  async ({ store, ...kind }) => {
    const report = await damage(store, { src: SOURCES, seed: SEED, ...kind });
    expect(report.violations).toEqual([]);
    expect(report.counts.damaged).toBe(kind.size);
  },
);

test.for(MUTANTS.slice(0, 3))('a seeded bug is noticed: $name', { timeout: 300_000 }, async (mutant) => {
  expect(await catchMutant(mutant, SEED)).toBeDefined();
});
