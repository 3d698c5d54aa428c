/**
 * `npm run test:leaks`: a task of 1,000 steps with a secret in everything it stores, on each encrypted store, killed, resumed,
 * rewound, forked, cleaned up. Exits with 1 when any form of the secret, or of the key, is found afterwards or in between.
 *
 *   --only json,sqlite    these stores only
 *   --steps 200           so many steps
 */
import { parseArgs } from 'node:util';
import type { Report } from '../../crash/report.ts';
import { withScratch } from '../../crash/scratch.ts';
import { clockFrom, tableOf } from '../../crash/tables.ts';
import { lookForLeaks } from './campaign.ts';
import type { StoreName } from './stores.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'json,sqlite,postgres' },
    steps: { type: 'string', default: '1000' },
  },
});
const clock = clockFrom(performance.now());
const progress = (line: string): void => console.log(`${clock()} ${line}`);
const reports: Report[] = [];
for (const store of values.only.split(',') as StoreName[])
  reports.push(
    await withScratch((dir) => lookForLeaks({ store, dir, steps: Number(values.steps), progress }), true),
  );
console.log(`\n${tableOf(reports)}\n`);
for (const { violations } of reports) for (const { what } of violations) console.log(`VIOLATION ${what}`);
const broken = reports.some(({ violations }) => violations.length > 0);
progress(broken ? 'Broken promises: see above.' : 'No promise was broken.');
process.exit(broken ? 1 : 0);
