/**
 * `npm run test:damage`: journals, records and blobs damaged at random on each store, then `vibe-engine resume`. Prints a
 * table of what was done; exits with 1 when a promise was broken or a seeded bug went unnoticed.
 *
 *   --only json,mutants   these stores (or `mutants`) only
 *   --count 100           so many times on each store; 10,000 by default
 *   --seed 7              another course; by default the date's number
 *   --number 12           only the damage of this number, to see it again
 *   --past rolled         the task was rolled back and run again before, or `undone`: its files were taken back
 *   --jobs 2              so many at a time
 *   --keep dir            where stores that show a violation are put
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { SOURCES } from '../crash/mutants.ts';
import type { Report } from '../crash/report.ts';
import type { StoreName } from '../crash/stores.ts';
import { clockFrom, tableOf } from '../crash/tables.ts';
import { damage } from './campaign.ts';
import { catchAll } from './mutants.ts';
import type { Past } from './world.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'json,sqlite,postgres,mutants' },
    count: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(Math.floor(Date.now() / 86_400_000)) },
    number: { type: 'string' },
    encrypted: { type: 'boolean' },
    git: { type: 'boolean' },
    past: { type: 'string' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    keep: { type: 'string' },
  },
});
const clock = clockFrom(performance.now());
const say = (line: string): void => console.log(`${clock()} ${line}`);
const wanted = values.only.split(',');
const count = Number(values.count);
const options = {
  ...{ src: SOURCES, seed: Number(values.seed), progress: say, jobs: Number(values.jobs) },
  ...(values.keep === undefined ? {} : { keep: values.keep }),
  ...(values.number === undefined ? {} : { number: Number(values.number) }),
};
/** Half of them plain; the rest sealed, in a repository whose objects are damaged too, rolled back or undone before. */
const past = values.past as Past | undefined;
const isChosen = values.encrypted || values.git || past || values.number !== undefined;
const part = (share: number, kind: object) => ({ ...kind, size: Math.ceil(count * share) });
const kinds = isChosen
  ? [part(1, { encrypted: values.encrypted ?? false, git: values.git ?? false, past: past ?? 'plain' })]
  : [
      part(0.5, {}),
      part(0.2, { encrypted: true }),
      part(0.1, { git: true }),
      part(0.1, { past: 'rolled' }),
      part(0.1, { past: 'undone' }),
    ];

say(`seed ${options.seed}, ${count} times: ${wanted.join(', ')}`);
const reports: Report[] = [];
for (const store of wanted.filter((name) => name !== 'mutants') as StoreName[])
  for (const kind of kinds) reports.push(await damage(store, { ...options, ...kind }));
const missed = wanted.includes('mutants') ? await catchAll(options.seed, say) : [];
console.log(`\n${tableOf(reports)}\n`);
for (const { violations } of reports)
  for (const { what, recipe } of violations) console.log(`VIOLATION ${what}\n  again: ${recipe}\n`);
for (const name of missed) console.log(`MISSED the seeded bug "${name}"`);
const broken = reports.some(({ violations }) => violations.length > 0) || missed.length > 0;
say(broken ? 'Broken promises: see above.' : 'No promise was broken.');
process.exit(broken ? 1 : 0);
