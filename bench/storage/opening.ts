/** How soon a store with many tasks shows the newest: built once through the contract, opened by a new process per round. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { START } from '../../src/storage/chain.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { newTaskId } from '../../src/system/ids.ts';
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
  // The url has a password in it, which arguments would show to everybody.
  const env = { ...process.env, BENCH_PLACE: place };
  const { stdout } = await promisify(execFile)(process.execPath, [CHILD, type], { env });
  return Number(stdout);
}
