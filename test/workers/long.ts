/**
 * `npm run test:workers`: workers that wake after their task was taken over (100), each at another commit of it; rolling
 * deploys of 6 workers over 100 tasks on each store; then the seeded bugs. Exits with 1 when a promise was broken or a bug
 * went unnoticed.
 *
 *   --only zombies,json,sqlite,postgres,mutants    these parts only
 *   --count 20     so many zombies; a fifth of the default makes deploys a fifth as large
 *   --seed 7       another order of the commits; the date's number by default
 *   --src dir      the sources of the engine to test
 */
import { parseArgs } from 'node:util';
import { SOURCES } from '../crash/mutants.ts';
import { random } from '../crash/random.ts';
import type { StoreName } from '../crash/stores.ts';
import { clockFrom } from '../crash/tables.ts';
import { withPostgres } from '../support/postgres.ts';
import { begunWithBug, MUTANTS } from './mutants.ts';
import { roll } from './rolling.ts';
import { zombie } from './zombies.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'zombies,json,sqlite,postgres,mutants' },
    count: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(Math.floor(Date.now() / 86_400_000)) },
    src: { type: 'string', default: SOURCES },
  },
});
const clock = clockFrom(performance.now());
const say = (line: string): void => console.log(`${clock()} ${line}`);
const wanted = values.only.split(',');
const count = Number(values.count);
const { src } = values;
const rng = random(Number(values.seed), 'workers');
/** As many commits as the task of the zombies has. */
const COMMITS = 24;
let broken = 0;

say(`seed ${values.seed}, count ${count}: ${wanted.join(', ')}`);
const server = await withPostgres();

if (wanted.includes('zombies')) {
  let stopped = 0;
  let began = 0;
  // Round by round each commit once, the first of them in any place.
  const first = rng.below(COMMITS);
  for (let n = 0; stopped < count; n++) {
    const found = await zombie(src, ((first + n) % COMMITS) + 1);
    if (!found.stopped) continue;
    stopped++;
    if (stopped % 10 === 0) say(`${stopped} zombies`);
    if (found.begun.length === 0 && found.ended === 'stopped FENCED_OUT') continue;
    began++;
    say(`VIOLATION stopped at commit ${found.stop_at}: ${JSON.stringify(found)}`);
  }
  broken += began;
  say(`zombies: ${began} of ${stopped} began something of a task that they had lost`);
}

for (const store of wanted.filter((name) => name !== 'zombies' && name !== 'mutants') as StoreName[]) {
  const tasks = Math.max(18, count);
  const found = await roll({ src, store, tasks, workers: 6, every_ms: 400 + rng.below(400), step_ms: 200 });
  const { statuses, ends, runs, again } = found;
  const isWhole = statuses.completed === tasks && ends.SIGTERM === 6 && again.length === 0;
  if (!isWhole) broken++;
  say(
    `${isWhole ? 'deploy' : 'VIOLATION deploy'} on ${store}: ${JSON.stringify({ statuses, ends, runs, again })}`,
  );
}

for (const mutant of wanted.includes('mutants') ? MUTANTS : []) {
  const begun = await begunWithBug(mutant);
  if (begun.length === 0) broken++;
  say(`"${mutant.name}" ${begun.length > 0 ? `caught: ${begun.join(', ')}` : 'MISSED'}`);
}

await server.stop();
say(broken > 0 ? 'Broken promises: see above.' : 'No promise was broken.');
process.exit(broken > 0 ? 1 : 0);
