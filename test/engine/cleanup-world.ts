/** Tasks to clean up after: with contexts that fill blobs, in every way a task can end. */
import { hash, randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { blobIdsIn } from '../../src/checkpoint/values/blob-ref.ts';
import { defineTask, type TaskDefinition } from '../../src/engine/api/definition.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { liveCheckpoints } from '../../src/engine/history/checkpoints.ts';
import { blobLoader } from '../../src/engine/task/packing.ts';
import { loadHead } from '../../src/engine/task/records/head.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { encode } from '../../src/storage/serialize.ts';
import { checkpointId } from '../../src/task/keys.ts';
import type { TaskStatus } from '../../src/task/status.ts';
import { everythingIn } from './stores.ts';

export interface Work {
  /** Each has a message, a step with a checkpoint after it, and a variable. */
  readonly turns: number;
  readonly end: 'complete' | 'fail' | 'pause';
  /** Bytes of every message; over 10 KB they become blobs. */
  readonly size?: number;
}

const body = (size: number): string => randomBytes(size / 2).toString('hex');

export const worker: TaskDefinition<Work, string> = defineTask(
  'worker',
  async (task, { turns, end, size = 12_000 }: Work) => {
    for (let turn = 1; turn <= turns; turn++) {
      await task.step(`work ${turn}`, async () => {
        await task.message('user', `${turn}: ${body(size)}`);
        await task.tool({ tool: 'read', output: body(size), status: 'success' });
        await task.set(`v${turn % 3}`, body(size));
      });
    }
    if (end === 'pause') await task.waitFor('user_input', { prompt: 'and now?' });
    if (end === 'fail') throw new Error('as asked');
    return body(size);
  },
  { version: '1' },
);

/** Runs one to its end; `pause` leaves it paused. Answers its id. */
export async function runWorker(engine: Engine, work: Work): Promise<string> {
  const handle = await engine.start(worker, work);
  return settle(engine, handle.id, handle.outcome);
}

/** Resumes one, to the same end. */
export async function resumeWorker(engine: Engine, id: string): Promise<string> {
  const handle = await engine.resume(id);
  return settle(engine, id, handle.outcome);
}

/** Runs one again from a step on, to the same end. */
export async function retryWorker(engine: Engine, id: string, step: string): Promise<string> {
  const handle = await engine.retry(id, { step });
  return settle(engine, id, handle.outcome);
}

async function settle(engine: Engine, id: string, outcome: Promise<{ status: string }>): Promise<string> {
  const waiting = Promise.withResolvers<boolean>();
  const off = engine.on('task.status', ({ task, to }) => {
    if (task === id && to === 'waiting') waiting.resolve(true);
  });
  if ((await engine.state(id))?.status === 'waiting') waiting.resolve(true);
  const ended = outcome.then(() => false);
  if (await Promise.race([waiting.promise, ended])) await engine.pause(id);
  off();
  await outcome;
  return id;
}

export async function checkpointsOf(engine: Engine, task: string): Promise<string[]> {
  const places = await liveCheckpoints(engine.storage, task);
  return places.map(({ sequence }) => checkpointId(task, sequence));
}

/** Every checkpoint of every task, whole with its context and blobs, as a hash; fails where one does not load. */
export async function contexts(engine: Engine): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const { task_id } of await engine.tasks({ limit: 1000 })) {
    const { checkpoints, damaged } = await engine.checkpoints.surveyCheckpoints(task_id);
    expect(damaged).toEqual([]);
    const load = blobLoader(engine.storage, (await loadHead(engine.storage, task_id))!);
    for (const { id } of checkpoints) {
      const whole = await engine.checkpoints.loadCheckpoint(id);
      for (const blob of blobIdsIn(whole)) expect(await load(blob), `${blob} of ${id}`).not.toBeNull();
      found.set(id, hash('sha256', encode(whole)));
    }
  }
  return found;
}

export async function statusOf(engine: Engine, task: string): Promise<TaskStatus | undefined> {
  return (await engine.state(task))?.status;
}

export async function blobsOf(storage: Storage, task: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of storage.listBlobs(task)) ids.push(id);
  return ids.sort();
}

export async function entriesOf(storage: Storage, task: string): Promise<number[]> {
  const seqs: number[] = [];
  for await (const { seq } of storage.read(task)) seqs.push(seq);
  return seqs;
}

/** Everything that is stored, told apart but not shown. */
export async function digestOf(storage: Storage): Promise<Record<string, string>> {
  const { records, tasks } = (await everythingIn(storage)) as Record<
    'records' | 'tasks',
    Record<string, unknown>
  >;
  return Object.fromEntries(
    Object.entries({ ...records, ...tasks }).map(([name, value]) => [name, hash('sha256', encode(value))]),
  );
}
