/** A process whose tasks are watched from another: one that makes steps, or ten that wait. It prints an id once they run. */
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTask } from '../../src/index.ts';
import { openAt, type Place } from '../engine/site.ts';

const place = JSON.parse(process.env.BENCH_PLACE!) as Place;
const engine = await openAt(place);
const steps = defineTask('steps', async (task) => {
  for (;;) {
    await task.step('one', () => 'done');
    await sleep(20 + Math.random() * 100);
  }
});
const waits = defineTask('waits', (task) => task.waitFor('user_input'));
const kind = process.argv[2] === 'steps' ? steps : waits;
const ids: string[] = [];
for (let n = 0; n < (kind === steps ? 1 : 10); n++) ids.push((await engine.start(kind, undefined)).id);
console.log(ids[0]);
