/** Working the queue: the most urgent task first, each by whoever is first to claim it; also what dead workers left. */
import { InvalidInputError, OwnershipError, VibeError } from '../errors.ts';
import { phrase } from '../phrase.ts';
import type { Storage } from '../storage/contract.ts';
import type { Events } from './events.ts';
import type { Run } from './host.ts';
import { dequeue, noteTakeovers, type Turn, takeovers, turns } from './queue.ts';

export interface WorkersHost {
  readonly storage: Storage;
  readonly notify: (lines: readonly string[]) => void;
  readonly on: Events['on'];
  /** How often a task is taken over from workers that died before it is left to a person. */
  readonly takeovers: number;
  takeUp(id: string, options: { readonly place: string }): Promise<Run>;
  /** Nothing more is to be run here. */
  stopping(): boolean;
}

/** Resolves when the queue holds nothing more that can be run here. */
export async function workQueue(host: WorkersHost, concurrency: number): Promise<void> {
  if (!Number.isSafeInteger(concurrency) || concurrency < 1) {
    throw new InvalidInputError('USAGE', phrase`Not a number of tasks to run at once: ${concurrency}.`, {
      data: { concurrency },
      hint: phrase`A whole number from 1 up.`,
    });
  }
  const ends: Promise<unknown>[] = [];
  const worker = async (): Promise<void> => {
    for (let run = await next(host); run; run = await next(host)) {
      ends.push(run.outcome);
      await endedOrWaiting(host, run);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  await Promise.all(ends);
}

/** A task that waits for a person leaves its place to the next one meanwhile. */
async function endedOrWaiting({ on }: WorkersHost, run: Run): Promise<void> {
  const waits = Promise.withResolvers<void>();
  const stop = on('task.status', ({ task, to }) => task === run.task && to === 'waiting' && waits.resolve());
  if (run.state().status === 'waiting') waits.resolve();
  try {
    await Promise.race([run.outcome, waits.promise]);
  } finally {
    stop();
  }
}

async function next(host: WorkersHost): Promise<Run | null> {
  try {
    for await (const turn of turns(host.storage)) {
      const run = host.stopping() ? null : await take(host, turn);
      if (run) return run;
    }
  } catch (error) {
    if (!host.stopping()) throw error; // The store is being closed under it.
  }
  return null;
}

/** Null when the task cannot be run here. */
async function take(host: WorkersHost, turn: Turn): Promise<Run | null> {
  const { task, place, left } = turn;
  try {
    return left ? await takeOver(host, turn) : await host.takeUp(task, { place });
  } catch (error) {
    if (error instanceof OwnershipError) return null; // Another worker was faster.
    if (error instanceof VibeError && OF_THE_TASK.has(error.code)) return null;
    throw error;
  }
}

/** A task that ends the process of whoever runs it is not to end all of them, one after the other. */
async function takeOver({ storage, ...host }: WorkersHost, { task, place }: Turn): Promise<Run | null> {
  const before = await takeovers(storage, place);
  if (before >= host.takeovers) {
    await dequeue(storage, place);
    host.notify([
      phrase`Task ${task} is left alone: ${before + 1} workers have died of it. Resume it by its id.`,
    ]);
    return null;
  }
  await noteTakeovers(storage, place, before + 1);
  try {
    return await host.takeUp(task, { place });
  } catch (error) {
    await noteTakeovers(storage, place, before); // Nobody died of it.
    throw error;
  }
}

/** What keeps one task from being run, here or at all, is told as the end of its run and does not hold up the others. */
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
