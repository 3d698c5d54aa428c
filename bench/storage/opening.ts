/** How soon a store with many tasks shows the newest: built once through the contract, opened by a new process per round. */
import { join } from 'node:path';
import { START } from '../../src/storage/chain.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { newTaskId } from '../../src/system/ids.ts';
import { outputOf } from '../harness/child.ts';
import type { Measurement } from '../harness.ts';
import { type BackEnd, opener } from './back-ends.ts';
import { nextEntry, stateAt } from './payloads.ts';

const TASKS = 10_000;
/** How many are written at once while building; stores that group commits do so. */
const BATCH = 100;
const CHILD = join(import.meta.dirname, 'open-and-list.ts');

export async function measureOpening(backEnd: BackEnd): Promise<Measurement> {
  const open = await opener(backEnd.type);
  const storage = await open(backEnd.place);
  await fill(storage);
  await storage.close();
  return { measure: () => openInNewProcess(backEnd), close: backEnd.remove };
}

async function fill(storage: Storage): Promise<void> {
  for (let done = 0; done < TASKS; done += BATCH) {
    await Promise.all(Array.from({ length: BATCH }, () => addTask(storage)));
  }
}

async function addTask(storage: Storage): Promise<void> {
  const task = newTaskId();
  await storage.commit({
    task,
    records: [{ category: 'tasks', key: `${task}/state`, data: stateAt(task, 2) }],
    append: { after: START, entries: [nextEntry(), nextEntry()] },
  });
}

async function openInNewProcess({ type, place }: BackEnd): Promise<number> {
  return Number(await outputOf([CHILD, type], { BENCH_PLACE: place }));
}
