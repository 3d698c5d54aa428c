/**
 * Whether a worker may claim a task that another one left. A task that kills its worker must not kill all of them, one after
 * the other; but only deaths during a run count, and only since the task's last progress.
 */

import { CorruptError, EngineError, StaleWriteError, StoreError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Storage } from '../../storage/contract.ts';
import type { TaskState } from '../../task/state.ts';
import type { Services } from '../api/services.ts';
import type { Entry } from '../task/entries.ts';
import { dequeue, readQueueRecord, type Turn, writeQueueRecord } from '../task/records/queue.ts';

/**
 * For the owner of the claim, before anything is done with the task; NOT_RESUMABLE if it must not run. Call the returned
 * function if the run could not start, before releasing the claim: then no death is counted.
 */
export async function admit(
  services: Pick<Services, 'storage' | 'notify' | 'config'>,
  turn: Turn,
  state: TaskState,
): Promise<() => Promise<void>> {
  return (await count(services, turn, state)) ?? (async () => {});
}

/** Raises the count by one from what was read; returns a function that reverts that. */
async function count(
  { storage, notify, config }: Pick<Services, 'storage' | 'notify' | 'config'>,
  { task, key }: Turn,
  { status, task_name }: TaskState,
): Promise<(() => Promise<void>) | null> {
  const found = await readQueueRecord(storage, key);
  if (!found) throw leftAlone(task, task_name, phrase`it has left the queue`);
  const { revision, released, ...before } = found;
  const { takeovers, counted_at } = before;
  const died = status === 'in_progress' && !released;
  if (!died && !released) return null;
  const since = takeovers > 0 && (await cameFurther(storage, task, counted_at ?? 0)) ? 0 : takeovers;
  if (died && since >= config.recovery.retry.max_attempts) {
    await dequeue(storage, key);
    notify([
      phrase`Task ${task} is skipped: ${since + 1} workers have died while running it. Resume it by its id.`,
    ]);
    throw leftAlone(task, task_name, phrase`${since + 1} workers have died while running it`);
  }
  const { seq } = await storage.position(task);
  const now = { takeovers: since + (died ? 1 : 0), counted_at: seq };
  const written = await writeQueueRecord(storage, key, now, revision);
  return async () => {
    const as_it_was = { ...before, ...(released ? { released } : {}) };
    await unlessTaken(writeQueueRecord(storage, key, as_it_was, written));
  };
}

/** Results: what an agent says before it dies again, and that it was recovered, is recorded every time. */
const RESULTS: ReadonlySet<Entry['t']> = new Set(['step', 'skip', 'agent', 'answer']);

async function cameFurther(storage: Storage, task: string, since: number): Promise<boolean> {
  try {
    for await (const { data } of storage.read(task, { from: since + 1 }))
      if (RESULTS.has((data as Entry).t)) return true;
  } catch (error) {
    if (!(error instanceof CorruptError)) throw error; // Recovery reports it.
  }
  return false;
}

/** Before a worker ends on request: if it is killed in the meantime, the task was not the cause. */
export async function noteReleased(storage: Storage, key: string): Promise<void> {
  const found = await unlessTaken(readQueueRecord(storage, key));
  if (!found || found.released) return;
  const { revision, ...data } = found;
  await unlessTaken(writeQueueRecord(storage, key, { ...data, released: true }, revision));
}

/** Undefined if another process was faster, or the store is busy or gone: then the count stays as it is. */
async function unlessTaken<T>(writing: Promise<T>): Promise<T | undefined> {
  try {
    return await writing;
  } catch (error) {
    if (error instanceof StaleWriteError || error instanceof StoreError) return undefined;
    throw error;
  }
}

function leftAlone(task: string, name: string, why: string): EngineError {
  return new EngineError('NOT_RESUMABLE', phrase`Task "${name}" (${task}) was not claimed: ${why}.`, {
    data: { task },
    hint: phrase`Resume it by its id.`,
  });
}
