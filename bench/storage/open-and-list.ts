/** A process that opens a store, loads the newest 50 tasks and prints how many milliseconds that took. */
import { type BackEndType, opener } from './back-ends.ts';

const NEWEST = 50;

const open = await opener(process.argv[2] as BackEndType);
const start = performance.now();
const storage = await open(process.env.BENCH_PLACE!);
const { keys } = await storage.tasks({ reverse: true, limit: NEWEST });
const states = await Promise.all(keys.map((task) => storage.load('tasks', `${task}/state`)));
const elapsed = performance.now() - start;
await storage.close();
if (states.length !== NEWEST || states.includes(null)) {
  throw new Error(`Only ${states.filter((state) => state !== null).length} of ${NEWEST} states were there.`);
}
console.log(elapsed);
