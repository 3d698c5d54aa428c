/**
 * `npm run test:kill`: the whole kill matrix on each store, then 1,000 kills at random instants on each, then the seeded
 * bugs. On local stores also sessions whose host or client is killed in a hook. Prints a table of what was done; exits with 1 when a promise was broken or a bug went unnoticed.
 *
 *   --only json,mutants    these stores (or `mutants`) only; `hooks`: hooks of sessions only, `json,hooks`: on that store
 *   --scale 0.1            a tenth of it
 *   --part 2/8             the second eighth of the kills in hooks, so that all of them can be run in several goes
 *   --seed 7               another course; default: the date's number
 *   --keep dir             where stores that show a violation are put (not from PostgreSQL)
 *   --again "a; b"         one task, killed like this: what `kills` of a recipe says; with --only for the store, and `hooks`
 */
import { parseArgs } from 'node:util';
import { SOURCES } from '../crash/mutants.ts';
import type { Report } from '../crash/report.ts';
import type { StoreName } from '../crash/stores.ts';
import { clockFrom, tableOf } from '../crash/tables.ts';
import { again, matrix, randomKills, spread } from './campaigns.ts';
import { type HookKill, hookKills } from './hooks/campaign.ts';
import { catchAllInHooks } from './hooks/mutants.ts';
import { catchAll } from './mutants.ts';
import type { Point } from './trap.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'json,sqlite,postgres,mutants' },
    scale: { type: 'string', default: '1' },
    part: { type: 'string', default: '1/1' },
    seed: { type: 'string', default: String(Math.floor(Date.now() / 86_400_000)) },
    keep: { type: 'string' },
    again: { type: 'string' },
  },
});
const clock = clockFrom(performance.now());
const say = (line: string): void => console.log(`${clock()} ${line}`);
const scale = Number(values.scale);
const [part, parts] = values.part.split('/').map(Number) as [number, number];
const wanted = values.only.split(',');
const onlyHooks = wanted.includes('hooks');
const named = wanted.filter((name) => name !== 'mutants' && name !== 'hooks') as StoreName[];
const stores = named.length === 0 && onlyHooks ? (['json', 'sqlite'] as const) : named;
const keep = values.keep === undefined ? {} : { keep: values.keep };
const options = { src: SOURCES, seed: Number(values.seed), progress: say, ...keep };

say(`seed ${options.seed}, scale ${scale}: ${wanted.join(', ')}`);
const reports: Report[] = [];
for (const store of stores) {
  if (store !== 'postgres') {
    const choose = (kills: readonly HookKill[]): readonly HookKill[] =>
      values.again === undefined
        ? spread(kills, kills.length * scale).filter((_, i) => i % parts === part - 1)
        : [values.again as HookKill];
    if (onlyHooks || values.again === undefined) reports.push(await hookKills(store, { ...options, choose }));
    say(`hooks ${store} done`);
  }
  if (onlyHooks) continue;
  if (values.again !== undefined) {
    reports.push(await again(store, values.again.split('; '), options));
    continue;
  }
  const choose = (points: readonly Point[]): Point[] => spread(points, points.length * scale);
  reports.push(await matrix(store, { ...options, choose }));
  say(`matrix ${store} done`);
  reports.push(await randomKills(store, { ...options, size: Math.ceil(1000 * scale) }));
  say(`random ${store} done`);
}

const missed = wanted.includes('mutants')
  ? [...(onlyHooks ? [] : await catchAll(options.seed, say)), ...(await catchAllInHooks(options.seed, say))]
  : [];

console.log(`\n${tableOf(reports)}\n`);
for (const { violations } of reports) {
  for (const { what, recipe } of violations) console.log(`VIOLATION ${what}\n  again: ${recipe}\n`);
}
for (const name of missed) console.log(`MISSED the seeded bug "${name}"`);
const broken = reports.some(({ violations }) => violations.length > 0) || missed.length > 0;
say(broken ? 'Broken promises: see above.' : 'No promise was broken.');
process.exit(broken ? 1 : 0);
