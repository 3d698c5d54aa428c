/** Working the queue: the most urgent task first, each by whoever is first to claim it. */
import { EngineError, OwnershipError } from '../errors.ts';
import type { Storage } from '../storage/contract.ts';
import type { Run } from './host.ts';
import { queued } from './queue.ts';

export type TakeUpQueued = (id: string, options: { readonly only_queued: true }) => Promise<Run>;

/** Resolves when the queue holds nothing more that can be run here. */
export async function workQueue(storage: Storage, takeUp: TakeUpQueued, concurrency: number): Promise<void> {
  const worker = async (): Promise<void> => {
    for (let run = await next(storage, takeUp); run; run = await next(storage, takeUp)) await run.outcome;
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

async function next(storage: Storage, takeUp: TakeUpQueued): Promise<Run | null> {
  for (const id of await queued(storage)) {
    try {
      return await takeUp(id, { only_queued: true });
    } catch (error) {
      if (!isForOthers(error)) throw error;
    }
  }
  return null;
}

/** Another worker was faster, or the task's code is not known here: neither is this worker's concern. */
function isForOthers(error: unknown): boolean {
  if (error instanceof OwnershipError) return true;
  return error instanceof EngineError && FOR_OTHERS.has(error.code);
}
const FOR_OTHERS: ReadonlySet<string> = new Set(['NOT_RESUMABLE', 'TASK_UNKNOWN', 'DEFINITION_CHANGED']);
