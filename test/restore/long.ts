/**
 * `npm run test:restore`: 10,000 random rounds of files changed by tasks, commands and people, undone and redone; then the seeded
 * bugs. Exits with 1 when a difference was not named, a person's bytes were lost, or a bug went unnoticed.
 *
 *   --count 500      so many
 *   --seed 7         other rounds; default: the date's number
 *   --only 4711      this round alone
 *   --no-mutants     without the seeded bugs
 */
import { parseArgs } from 'node:util';
import { SOURCES } from '../crash/mutants.ts';
import { clockFrom, tableOf } from '../crash/tables.ts';
import { playRounds } from './campaign.ts';
import { catchAll } from './mutants.ts';

const { values } = parseArgs({
  allowNegative: true,
  options: {
    count: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(Math.floor(Date.now() / 86_400_000)) },
    only: { type: 'string' },
    mutants: { type: 'boolean', default: true },
  },
});
const clock = clockFrom(performance.now());
const say = (line: string): void => console.log(`${clock()} ${line}`);
const seed = Number(values.seed);
const which =
  values.only === undefined ? { count: Number(values.count) } : { first: Number(values.only), count: 1 };
say(`seed ${seed}, ${which.count} ${which.count === 1 ? 'round' : 'rounds'}`);
const report = await playRounds({ src: SOURCES, seed, ...which, progress: say });
const missed = values.mutants && values.only === undefined ? await catchAll(seed, say) : [];
console.log(`\n${tableOf([report])}\n`);
for (const { what, recipe } of report.violations) console.log(`VIOLATION ${what}\n  again: ${recipe}\n`);
for (const name of missed) console.log(`MISSED the seeded bug "${name}"`);
const broken = report.violations.length > 0 || missed.length > 0;
say(
  broken ? 'Broken promises: see above.' : 'Every difference was named, and nothing of a person’s was lost.',
);
process.exit(broken ? 1 : 0);
