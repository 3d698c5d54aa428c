/** A process that claims a task, says so once others can learn of its death, and waits to be killed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { opener } from './back-ends.ts';

const storage = await (await opener('postgres'))(process.env.BENCH_PLACE!);
await storage.claim(process.argv[2]!);
// By then its claim names its session.
await sleep(500);
console.log('claimed');
setInterval(() => {}, 1000);
