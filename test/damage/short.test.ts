/** A few damaged stores of each kind; `npm run test:damage` is the long run. */
import { expect, test } from 'vitest';
import { SOURCES } from '../crash/mutants.ts';
import { damage } from './campaign.ts';
import { catchMutant, MUTANTS } from './mutants.ts';

const SEED = 20_261_116;

test.for([
  { store: 'json', kind: 'in git', git: true, size: 12 },
  { store: 'json', kind: 'sealed', encrypted: true, size: 8 },
  { store: 'json', kind: 'rolled back', past: 'rolled', size: 6 },
  { store: 'json', kind: 'undone', past: 'undone', size: 6 },
  { store: 'sqlite', kind: 'plain', size: 12 },
  { store: 'postgres', kind: 'plain', size: 12 },
] as const)(
  '$store, $kind: every damaged task resumes or says why not',
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
