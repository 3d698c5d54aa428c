/** A process that resumes a long task and prints what is asked of it: milliseconds, or kilobytes of memory. */
import { LONG_TASKS, type LongTask } from './long-tasks.ts';
import { openAt, type Place } from './site.ts';
import { takeTurn } from './turns.ts';

const place = JSON.parse(process.env.BENCH_PLACE!) as Place;
const [kind, id = ''] = process.argv.slice(2) as [LongTask | 'idle', string?];
// The store is loaded when it is opened: here from its sources, whose types Node takes out, which no user waits for.
if (place.type === 'postgres') await Promise.all([import('pg'), import('../../src/postgres.ts')]);
if (kind === 'steps') await printTime();
else {
  if (kind === 'turns') await resumeAndPause();
  console.log(process.resourceUsage().maxRSS);
}

async function printTime(): Promise<void> {
  const start = performance.now();
  const begun = Promise.withResolvers<number>();
  const definition = LONG_TASKS.steps(async (task) => {
    await task.step('new', async () => {
      begun.resolve(performance.now() - start);
      await new Promise(() => {});
    });
  });
  const engine = await openAt(place, [definition]);
  const { result } = await engine.resume(id);
  console.log(await Promise.race([begun.promise, result]));
  await engine.close();
}

/** A hundred more turns, then a pause, with all that is written at one. */
async function resumeAndPause(): Promise<void> {
  const paused = Promise.withResolvers<void>();
  const definition = LONG_TASKS.turns(async (task) => {
    let fresh = 0;
    const count = async (): Promise<void> => void fresh++;
    while (fresh < 100) await takeTurn(task, count); // Those of the rounds before are remembered by now.
    paused.resolve();
    await new Promise(() => {});
  });
  const engine = await openAt(place, [definition]);
  const { result, outcome } = await engine.resume(id);
  await Promise.race([paused.promise, result]);
  await engine.pause(id);
  await outcome;
  await engine.close();
}
