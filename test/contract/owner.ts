/** A process that owns a task: claims it, then commits one entry for every line it is told, and says what came of it. */
import { createInterface } from 'node:readline';
import { VibeError } from '../../src/errors.ts';
import type { Storage } from '../../src/storage/contract.ts';

interface Job {
  module: string;
  args: unknown;
  task: string;
}

const job = JSON.parse(process.argv[2]!) as Job;
const { openStore } = (await import(job.module)) as { openStore(args: unknown): Promise<Storage> };
const store = await openStore(job.args);
const claim = await store.claim(job.task);
let after = await store.position(job.task);
const say = (answer: Record<string, unknown>) => console.log(JSON.stringify(answer));
say({ fence: claim.fence });
for await (const line of createInterface({ input: process.stdin })) {
  try {
    const { position } = await store.commit({
      task: job.task,
      fence: claim.fence,
      append: { after, entries: [line] },
      records: [{ category: 'tasks', key: `${job.task}/state`, data: line }],
    });
    after = position!;
    say({ seq: after.seq });
  } catch (error) {
    say({ code: error instanceof VibeError ? error.code : String(error) });
  }
}
await store.close();
