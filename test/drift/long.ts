/**
 * `npm run test:drift`: 500 random repositories whose severity is compared with a real merge, 1,000 random states that
 * neither a look nor a failed rebase may change, 200 rebases compared with git's own. Exits with 1 when a promise was
 * broken.
 *
 *   --only severity,rebases   these campaigns only
 *   --scale 0.1               a tenth of it
 *   --seed 7                  another course; default: the date's number
 */
import { parseArgs } from 'node:util';
import { clockFrom, tableOf } from '../crash/tables.ts';
import { CAMPAIGNS } from './campaigns.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: CAMPAIGNS.map(({ name }) => name).join(',') },
    scale: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(Math.floor(Date.now() / 86_400_000)) },
  },
});
const clock = clockFrom(performance.now());
const progress = (line: string): void => console.log(`${clock()} ${line}`);
const seed = Number(values.seed);
progress(`seed ${seed}, scale ${values.scale}: ${values.only}`);

const reports = [];
for (const { name, run, long } of CAMPAIGNS) {
  if (!values.only.split(',').includes(name)) continue;
  reports.push(await run({ seed, size: Math.ceil(long * Number(values.scale)), progress }));
}
console.log(`\n${tableOf(reports)}\n`);
for (const { violations } of reports)
  for (const { what, recipe } of violations) console.log(`VIOLATION ${what}\n  again: ${recipe}\n`);
const broken = reports.some(({ violations }) => violations.length > 0);
progress(broken ? 'Broken promises: see above.' : 'No promise was broken.');
process.exitCode = broken ? 1 : 0;
