/** A process that appends to a journal and counts in a record, again and again against everybody else doing the same. */
import { setTimeout as sleep } from 'node:timers/promises';
import { VibeError } from '../../src/errors.ts';
import type { Storage } from '../../src/storage/contract.ts';

interface Job {
  module: string;
  args: unknown;
  writer: number;
  task: string;
  commits: number;
  patience_ms: number;
}

const job = JSON.parse(process.argv[2]!) as Job;
const { openStore } = (await import(job.module)) as { openStore(args: unknown): Promise<Storage> };
const store = await openStore(job.args);
const place = { category: 'tasks', key: `${job.task}/count` };
console.log(JSON.stringify({ ready: true }));
await new Promise((resolve) => process.stdin.once('data', resolve));
let stale = 0;
for (let n = 0; n < job.commits; ) {
  const after = await store.position(job.task);
  const count = await store.get(place.category, place.key);
  try {
    await store.commit({
      task: job.task,
      append: { after, entries: [{ writer: job.writer, n }] },
      records: [
        { ...place, data: ((count?.data as number | undefined) ?? 0) + 1, expect: count?.revision ?? 0 },
      ],
    });
    n += 1;
  } catch (error) {
    if (!(error instanceof VibeError && error.code === 'STALE_WRITE')) throw error;
    stale += 1;
    await sleep(Math.random() * job.patience_ms); // or all would try again at the same time
  }
}
await store.close();
console.log(JSON.stringify({ writer: job.writer, stale }));
process.stdin.destroy();
