/**
 * `npm run test:crash`: every campaign at full size, then the seeded bugs. Prints a table of what was done; exits with 1
 * when a promise was broken or a bug went unnoticed.
 *
 *   --only replay,kills   these campaigns (or `mutants`) only
 *   --scale 0.1           a tenth of the size
 *   --seed 7              another course; default: the date's number
 *   --encrypted           on stores that seal everything
 *   --keep dir            where stores that show a violation are put
 */
import { parseArgs } from 'node:util';
import { CAMPAIGNS, type Entry } from './campaigns.ts';
import { catchAll } from './catch.ts';
import { SOURCES } from './mutants.ts';
import type { Report } from './report.ts';
import { runCampaign } from './run.ts';
import { clockFrom, tableOf } from './tables.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    scale: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(Math.floor(Date.now() / 86_400_000)) },
    encrypted: { type: 'boolean', default: false },
    keep: { type: 'string' },
  },
});
const scale = Number(values.scale);
const seed = Number(values.seed);
const wanted = values.only?.split(',') ?? [...CAMPAIGNS.map(({ name }) => name), 'mutants'];
const clock = clockFrom(performance.now());
const say = (line: string): void => console.log(`${clock()} ${line}`);

say(`seed ${seed}, scale ${scale}: ${wanted.join(', ')}`);
const reports = await Promise.all(CAMPAIGNS.filter(({ name }) => wanted.includes(name)).map(runOne));
console.log(`\n${tableOf(reports)}\n`);
for (const { violations } of reports) {
  for (const { what, recipe } of violations) console.log(`VIOLATION ${what}\n  again: ${recipe}\n`);
}
const missed = wanted.includes('mutants') ? await catchAll(seed, say) : [];
for (const name of missed) console.log(`MISSED the seeded bug "${name}"`);
const broken = reports.some(({ violations }) => violations.length > 0) || missed.length > 0;
say(broken ? 'Broken promises: see above.' : 'No promise was broken.');
process.exit(broken ? 1 : 0);

async function runOne({ name, long }: Entry): Promise<Report> {
  const size = Math.max(1, Math.round(long * scale));
  const keep = values.keep === undefined ? {} : { keep: values.keep };
  const report = await runCampaign(
    { campaign: name, src: SOURCES, seed, size, encrypted: values.encrypted, ...keep },
    say,
  );
  const counts = Object.entries(report.counts).map(([what, count]) => `${what} ${count}`);
  say(`${name} done, ${report.violations.length} violations: ${counts.join(', ')}`);
  return report;
}
