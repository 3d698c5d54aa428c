/** The subject: tasks of one process, each owned by it, each committing one step after another. */

import type { Storage } from '../../src/storage/contract.ts';
import { newTaskId } from '../../src/system/ids.ts';
import { ratePerSecond, runDueTimers, type Worker } from '../harness.ts';
import { type BackEnd, opener } from './back-ends.ts';
import { nextEntry, stateAt } from './payloads.ts';

export interface Committers {
  /** Durable commits per second, all tasks together, with the readable views that fall due meanwhile. */
  rate(): Promise<number>;
  close(): Promise<void>;
}

export async function openCommitters(backEnd: BackEnd, count: number): Promise<Committers> {
  const open = await opener(backEnd.type);
  const storage = await open(backEnd.place);
  const workers = await Promise.all(Array.from({ length: count }, () => committer(storage)));
  return {
    rate: () => ratePerSecond(workers, runDueTimers),
    close: () => storage.close(),
  };
}

async function committer(storage: Storage): Promise<Worker> {
  const task = newTaskId();
  const { fence } = await storage.claim(task);
  let after = await storage.position(task);
  return async () => {
    const receipt = await storage.commit({
      task,
      fence,
      records: [{ category: 'tasks', key: `${task}/state`, data: stateAt(task, after.seq + 1) }],
      append: { after, entries: [nextEntry()] },
    });
    after = receipt.position!;
  };
}
