/** Bugs that the long campaigns seed must fit the sources as they are, or those break down after an hour. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Mutant, SOURCES } from '../crash/mutants.ts';
import { MUTANTS as IN_TASKS } from '../kill/mutants.ts';
import { MUTANTS as IN_STORIES } from '../stories/mutants.ts';
import { MUTANTS as IN_FILES } from './mutants.ts';

test.each<Mutant>([...IN_FILES, ...IN_TASKS, ...IN_STORIES])('"$name" fits', ({ changes }) => {
  for (const { file, find } of changes)
    expect(readFileSync(join(SOURCES, file), 'utf8').split(find), `${file}: ${find}`).toHaveLength(2);
});
