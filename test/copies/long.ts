/**
 * `npm run test:copies`: two workers run 50 tasks while one of them copies, reads and closes all that lies below the project,
 * both are killed again and again, for 10 minutes on each store; then the seeded bug. Exits with 1 when a step was run by two,
 * something is corrupt or was lost, or the bug went unnoticed.
 *
 *   --only json,sqlite,postgres,mutants    these parts only
 *   --minutes 1    so long on each store
 *   --seed 7       other moments to kill; default: the date's number
 */
import { parseArgs } from 'node:util';
import { type Mutant, missedOf, SOURCES, withBug } from '../crash/mutants.ts';
import { random } from '../crash/random.ts';
import type { StoreName } from '../crash/stores.ts';
import { clockFrom } from '../crash/tables.ts';
import { withPostgres } from '../support/postgres.ts';
import { MUTANTS } from './mutants.ts';
import { copyRound } from './round.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'json,sqlite,postgres,mutants' },
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Math.floor(Date.now() / 86_400_000)) },
  },
});
const clock = clockFrom(performance.now());
const say = (line: string): void => console.log(`${clock()} ${line}`);
const wanted = values.only.split(',');
const seed = Number(values.seed);
let broken = 0;

say(`seed ${seed}, ${values.minutes} minutes each: ${wanted.join(', ')}`);
const server = wanted.includes('postgres') ? await withPostgres() : null;
for (const store of wanted.filter((name) => name !== 'mutants') as StoreName[]) {
  const until = performance.now() + Number(values.minutes) * 60_000;
  const sums = { rounds: 0, kills: 0, steps: 0, violations: 0 };
  while (performance.now() < until) {
    const rng = random(seed, `copies-${store}`, sums.rounds);
    const round = await copyRound({ src: SOURCES, store, tasks: 50, kills: 20, rng });
    for (const problem of round.problems.slice(0, 5)) say(`VIOLATION on ${store}: ${problem}`);
    sums.rounds++;
    sums.kills += round.kills;
    sums.steps += round.steps;
    sums.violations += round.problems.length;
  }
  broken += sums.violations;
  say(`${store}: ${JSON.stringify(sums)}`);
}
await server?.stop();

if (wanted.includes('mutants')) {
  const catchOne = (mutant: Mutant): Promise<string | undefined> =>
    withBug(mutant, async (src) => {
      for (let n = 0; n < 5; n++) {
        const options = { src, store: 'json', tasks: 50, kills: 10, rng: random(seed, 'bug', n) } as const;
        const [problem] = (await copyRound(options)).problems;
        if (problem) return problem;
      }
      return undefined;
    });
  broken += (await missedOf(MUTANTS, catchOne, say)).length;
}
say(broken > 0 ? 'Broken promises: see above.' : 'No promise was broken.');
process.exit(broken > 0 ? 1 : 0);
