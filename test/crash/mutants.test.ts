/** The campaigns notice each seeded bug, without being told which one is there; those of all campaigns fit the sources. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MUTANTS as IN_FILES } from '../agents/mutants.ts';
import { MUTANTS as IN_COPIES } from '../copies/mutants.ts';
import { MUTANTS as AFTER_DAMAGE } from '../damage/mutants.ts';
import { MUTANTS as AMONG_STRANGERS } from '../hostile/mutants.ts';
import { HOOK_MUTANTS as IN_HOOKS } from '../kill/hooks/mutants.ts';
import { MUTANTS as IN_TASKS } from '../kill/mutants.ts';
import { MUTANTS as IN_RESTORES } from '../restore/mutants.ts';
import { MUTANTS as IN_STORIES } from '../stories/mutants.ts';
import { seededBugs } from '../support/full.ts';
import { MUTANTS as IN_WORKERS } from '../workers/mutants.ts';
import { catchMutant } from './catch.ts';
import { MUTANTS, type Mutant, SOURCES } from './mutants.ts';

const SEED = 20_261_115;

/** Or the long campaigns break down after an hour. */
test.each<Mutant>([
  ...MUTANTS,
  ...[...IN_FILES, ...IN_COPIES, ...AFTER_DAMAGE, ...AMONG_STRANGERS],
  ...[...IN_TASKS, ...IN_HOOKS, ...IN_RESTORES, ...IN_STORIES, ...IN_WORKERS],
])('"$name" fits', ({ changes }) => {
  for (const { file, find } of changes)
    expect(readFileSync(join(SOURCES, file), 'utf8').split(find), `${file}: ${find}`).toHaveLength(2);
});

test.concurrent.for(seededBugs(MUTANTS))('"$name" is caught', async (mutant, { expect, signal }) => {
  const caught = await catchMutant(mutant, SEED, signal);
  console.log(caught ? `"${mutant.name}" caught by ${caught.campaign}` : `"${mutant.name}" went unnoticed`);
  expect(caught).toBeDefined();
});
