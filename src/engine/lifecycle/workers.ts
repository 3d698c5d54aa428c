/**
 * Works through the queue: the most urgent task first, each run by the first process to claim it; also tasks that dead
 * workers left.
 */
import { InvalidInputError, OwnershipError, StaleWriteError, VibeError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Storage } from '../../storage/contract.ts';
import { everyKey } from '../../storage/walk.ts';
import type { Run } from '../run/services.ts';
import { dequeue, QUEUE, type Turn } from '../task/records/queue.ts';
import { readableState } from '../task/tasks.ts';
import { admit } from './admission.ts';
import type { RunServices } from './runs.ts';

/** Resolves when no queued task is left that can run here. */
export async function workQueue(services: RunServices, concurrency: number): Promise<void> {
  if (!Number.isSafeInteger(concurrency) || concurrency < 1) {
    throw new InvalidInputError('USAGE', phrase`Not a number of tasks to run at once: ${concurrency}.`, {
      data: { concurrency },
      hint: phrase`A whole number from 1 up.`,
    });
  }
  await services.running.handlingSignals(() => workAll(services, concurrency));
}

async function workAll(services: RunServices, concurrency: number): Promise<void> {
  const ends: Promise<unknown>[] = [];
  const worker = async (): Promise<void> => {
    for (let run = await next(services); run; run = await next(services)) {
      ends.push(run.outcome);
      await endedOrWaiting(services, run);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  await Promise.all(ends);
}

/** A task that waits for a person makes room for the next one in the meantime. */
async function endedOrWaiting({ on }: RunServices, run: Run): Promise<void> {
  const waits = Promise.withResolvers<void>();
  const stop = on('task.status', ({ task, to }) => task === run.task && to === 'waiting' && waits.resolve());
  if (run.state().status === 'waiting') waits.resolve();
  try {
    await Promise.race([run.outcome, waits.promise]);
  } finally {
    stop();
  }
}

async function next(services: RunServices): Promise<Run | null> {
  try {
    for await (const turn of tasksToRun(services.storage)) {
      const run = services.running.stopping() ? null : await take(services, turn);
      if (run) return run;
    }
  } catch (error) {
    if (!services.running.stopping()) throw error; // The store is being closed under it.
  }
  return null;
}

/** The tasks to run, in order. Queue records of tasks that are done, or idle, are removed on the way. */
export async function* tasksToRun(storage: Storage): AsyncGenerator<Turn> {
  for await (const key of everyKey(storage, QUEUE.category, { limit: 20 })) {
    const task = key.slice(key.indexOf('/') + 1);
    const state = await readableState(storage, task);
    if (!state) continue; // It is just being created, or cannot be read.
    if (state.status === 'queued') yield { task, key };
    else if (state.status !== 'in_progress' && state.status !== 'waiting') await dequeue(storage, key);
    else if (!(await storage.owner(task))) yield { task, key };
  }
}

/** Null when the task cannot be run here. */
async function take(services: RunServices, turn: Turn): Promise<Run | null> {
  const { task, key } = turn;
  try {
    return await services.running.takeUp(task, {
      queue_key: key,
      admit: (state) => admit(services, turn, state),
    });
  } catch (error) {
    if (error instanceof OwnershipError || error instanceof StaleWriteError) return null; // Another was faster.
    if (error instanceof VibeError && OF_THE_TASK.has(error.code)) return null;
    throw error;
  }
}

/** Errors that prevent one task from running are reported as the end of its run, and do not stop the others. */
const OF_THE_TASK: ReadonlySet<string> = new Set([
  'NOT_RESUMABLE',
  'TASK_NOT_FOUND',
  'TASK_UNKNOWN',
  'DEFINITION_CHANGED',
  'ENVIRONMENT_CHANGED',
  'NEEDS_ANSWER',
  'UPSTREAM_CHANGED',
  'REBASE_REFUSED',
  'HOOK_VETO',
  'CORRUPT',
  'INVALID_STATE',
  'NOT_SERIALISABLE',
]);
