/**
 * `npm run test:stories`: 10,000 random stories of tasks, stops, others' edits, undo, redo, rollback, resume, retry and fork
 * against a model of the files, then the seeded bugs. Exits with 1 when an edit was lost or doubled, or a bug went unnoticed.
 *
 *   --count 500      so many
 *   --seed 7         other stories; default: the date's number
 *   --jobs 4         so many processes; default: one for each core
 *   --only 4711      this story alone
 *   --no-mutants     without the seeded bugs
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { SOURCES } from '../crash/mutants.ts';
import { clockFrom, tableOf } from '../crash/tables.ts';
import { tellTogether } from './jobs.ts';
import { catchAll } from './mutants.ts';

const { values } = parseArgs({
  allowNegative: true,
  options: {
    count: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(Math.floor(Date.now() / 86_400_000)) },
    only: { type: 'string' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    mutants: { type: 'boolean', default: true },
  },
});
const clock = clockFrom(performance.now());
const say = (line: string): void => console.log(`${clock()} ${line}`);
const seed = Number(values.seed);
const which =
  values.only === undefined ? { count: Number(values.count) } : { first: Number(values.only), count: 1 };
say(`seed ${seed}, ${which.count} ${which.count === 1 ? 'story' : 'stories'}`);
const stories = { src: SOURCES, seed, ...which, real_kills: 50, progress: say };
const report = await tellTogether(stories, Number(values.jobs));
const missed = values.mutants && values.only === undefined ? await catchAll(seed, say) : [];
console.log(`\n${tableOf([report])}\n`);
for (const { what, recipe } of report.violations) console.log(`VIOLATION ${what}\n  again: ${recipe}\n`);
for (const name of missed) console.log(`MISSED the seeded bug "${name}"`);
const broken = report.violations.length > 0 || missed.length > 0;
say(broken ? 'Broken promises: see above.' : 'No edit was lost, and none was doubled.');
process.exit(broken ? 1 : 0);
