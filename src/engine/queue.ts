/** Tasks that wait to run: a small record each, whose keys sort as their turns come, so that finding the next reads little. */
import * as z from 'zod';
import type { Storage } from '../storage/contract.ts';
import { everyKey } from '../storage/walk.ts';
import type { QueuedData, TaskComplexity, TaskPriority } from '../task/data.ts';
import { readableState } from './tasks.ts';

const CATEGORY = 'queue';
const schema = z.object({ takeovers: z.int().min(0) });

const PRIORITY: Readonly<Record<TaskPriority, number>> = { critical: 0, high: 1, normal: 2, low: 3 };
const COMPLEXITY: Readonly<Record<TaskComplexity, number>> = { low: 0, medium: 1, high: 2 };

/**
 * By priority, then the simpler first, then the older, as ids sort by age. A task nobody has estimated counts as of medium
 * complexity.
 */
export function placeOf({ task_id, priority, estimated_complexity }: QueuedData): string {
  return `${PRIORITY[priority]}-${COMPLEXITY[estimated_complexity ?? 'medium']}/${task_id}`;
}

/** Before the task itself is written: a place without a task is passed over. */
export async function enqueue(storage: Storage, data: QueuedData): Promise<void> {
  await noteTakeovers(storage, placeOf(data), 0);
}

export async function dequeue(storage: Storage, place: string): Promise<void> {
  await storage.delete(CATEGORY, place);
}

/** How often the task was taken over from a worker that died. */
export async function takeovers(storage: Storage, place: string): Promise<number> {
  return takeoversIn(await storage.load(CATEGORY, place));
}

export function takeoversIn(stored: unknown): number {
  return schema.safeParse(stored).data?.takeovers ?? 0;
}

export async function noteTakeovers(storage: Storage, place: string, takeovers: number): Promise<void> {
  await storage.save(CATEGORY, place, { takeovers });
}

export interface Turn {
  readonly task: string;
  readonly place: string;
  /** Whoever ran it died, or was closed, before it was done. */
  readonly left: boolean;
}

/** What there is to run, in turn. Places of tasks that are done, or rest, are let go on the way. */
export async function* turns(storage: Storage): AsyncGenerator<Turn> {
  for await (const place of everyKey(storage, CATEGORY, { limit: 20 })) {
    const task = place.slice(place.indexOf('/') + 1);
    const state = await readableState(storage, task);
    if (!state) continue; // It is being made, or cannot be read.
    if (state.status === 'queued') yield { task, place, left: false };
    else if (state.status !== 'in_progress' && state.status !== 'waiting') await dequeue(storage, place);
    else if (!(await storage.owner(task))) yield { task, place, left: true };
  }
}
