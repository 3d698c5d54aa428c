/** The campaigns notice each of eight seeded bugs, without being told which one is there. */
import { test } from 'vitest';
import { catchMutant } from './catch.ts';
import { MUTANTS } from './mutants.ts';

const SEED = 20_261_115;

test.concurrent.for(MUTANTS)(
  '"$name" is caught',
  { timeout: 300_000 },
  async (mutant, { expect, signal }) => {
    const caught = await catchMutant(mutant, SEED, signal);
    console.log(caught ? `"${mutant.name}" caught by ${caught.campaign}` : `"${mutant.name}" went unnoticed`);
    expect(caught).toBeDefined();
  },
);
