/** A few damaged stores of each kind; `npm run test:damage` is the long run. */
import { expect, test } from 'vitest';
import { SOURCES } from '../crash/mutants.ts';
import { seededBugs, unlessFull } from '../support/full.ts';
import { damage } from './campaign.ts';
import { catchMutant, MUTANTS } from './mutants.ts';

const SEED = 20_261_116;

test.for([
  { store: 'json', kind: 'in git', git: true, size: unlessFull(1, 12) },
  { store: 'json', kind: 'sealed', encrypted: true, size: unlessFull(1, 8) },
  { store: 'json', kind: 'rolled back', past: 'rolled', size: unlessFull(1, 6) },
  { store: 'json', kind: 'undone', past: 'undone', size: unlessFull(1, 6) },
  { store: 'sqlite', kind: 'plain', size: unlessFull(1, 12) },
  { store: 'postgres', kind: 'plain', size: unlessFull(1, 12) },
] as const)('$store, $kind: every damaged task resumes or says why not', async ({ store, ...kind }) => {
  const report = await damage(store, { src: SOURCES, seed: SEED, ...kind });
  expect(report.violations).toEqual([]);
  expect(report.counts.damaged).toBe(kind.size);
});

test.for(seededBugs(MUTANTS.slice(0, 3)))('a seeded bug is noticed: $name', async (mutant) => {
  expect(await catchMutant(mutant, SEED)).toBeDefined();
});
