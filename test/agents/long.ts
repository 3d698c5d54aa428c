/**
 * `npm run test:agents`: two agents edit the same files for a minute on each store and are killed again and again, then
 * the seeded bugs. Prints a table of what was done; exits with 1 when an edit was lost or a bug went unnoticed.
 *
 *   --only json,mutants    these stores (or `mutants`) only
 *   --seconds 600          for so long on each store
 *   --seed 7               other edits and kills; default: the date's number
 *   --keep dir             where projects that show a violation are put
 */
import { parseArgs } from 'node:util';
import { SOURCES } from '../crash/mutants.ts';
import type { Report } from '../crash/report.ts';
import type { StoreName } from '../crash/stores.ts';
import { clockFrom, tableOf } from '../crash/tables.ts';
import { twoAgents } from './campaign.ts';
import { catchAll } from './mutants.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'json,sqlite,postgres,mutants' },
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Math.floor(Date.now() / 86_400_000)) },
    keep: { type: 'string' },
  },
});
const clock = clockFrom(performance.now());
const say = (line: string): void => console.log(`${clock()} ${line}`);
const wanted = values.only.split(',');
const seed = Number(values.seed);
const keep = values.keep === undefined ? {} : { keep: values.keep };
const options = { src: SOURCES, seed, size: Number(values.seconds) * 1000, progress: say, ...keep };

say(`seed ${seed}, ${values.seconds} seconds each: ${wanted.join(', ')}`);
const reports: Report[] = [];
for (const store of wanted.filter((name) => name !== 'mutants') as StoreName[]) {
  reports.push(await twoAgents(store, options));
  say(`${store} done`);
}
const missed = wanted.includes('mutants') ? await catchAll(seed, say) : [];

console.log(`\n${tableOf(reports)}\n`);
for (const { violations } of reports)
  for (const { what, recipe } of violations) console.log(`VIOLATION ${what}\n  again: ${recipe}\n`);
for (const name of missed) console.log(`MISSED the seeded bug "${name}"`);
const broken = reports.some(({ violations }) => violations.length > 0) || missed.length > 0;
say(broken ? 'Broken promises: see above.' : 'No promise was broken.');
process.exit(broken ? 1 : 0);
