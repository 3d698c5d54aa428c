/** A few verbs in a few directories that somebody sent; `npm run test:hostile` is the long run. */
import { beforeAll, expect, test } from 'vitest';
import { MAIN } from '../cli/cli.ts';
import { seededBugs, unlessFull } from '../support/full.ts';
import { tempDirs } from '../support/temp.ts';
import { attack } from './campaign.ts';
import { catchMutant, MUTANTS } from './mutants.ts';
import { buildTemplate, type Template } from './template.ts';
import { TRAITS } from './traits.ts';
import { unwatchable } from './watch.ts';

const tempDir = tempDirs();
const why = unwatchable();
if (why !== null) console.log(`skipped: what a hostile directory starts is not watched, since ${why}`);

let template: Template;
beforeAll(async () => {
  if (why === null) template = await buildTemplate(tempDir());
});

const CLI = [process.execPath, MAIN];
const seed = 20_261_116;

test.skipIf(why !== null)('nothing is started or reached that nobody named', async () => {
  const violations: string[] = [];
  for (const number of unlessFull([1], [1, 2])) {
    const report = await attack(template, { seed, number, cli: CLI, commands: 5 });
    violations.push(...report.violations);
  }
  // All that can be wrong at once, where git is asked.
  const traits = Object.keys(TRAITS).filter((name) => !/linked|server|no upstream|every setting/.test(name));
  const only = ([verb, , third]: readonly string[]) =>
    ['doctor', 'export', 'drift', 'undo', 'import'].includes(verb!) && third !== '--repair';
  const { violations: more } = await attack(template, {
    seed,
    number: 3,
    cli: CLI,
    commands: 8,
    traits,
    only,
  });
  expect([...violations, ...more]).toEqual([]);
});

test.skipIf(why !== null).each(seededBugs(MUTANTS.slice(0, 2)))(
  'a seeded bug is noticed: $name',
  async (bug) => {
    expect(await catchMutant(template, bug)).toBeDefined();
  },
);
