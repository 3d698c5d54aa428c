/** Tasks that wait to run: a small record each, whose keys sort as their turns come, so that finding the next reads little. */
import * as z from 'zod';
import type { Storage } from '../../../storage/contract.ts';
import { everyKey } from '../../../storage/walk.ts';
import type { QueuedData, TaskComplexity, TaskPriority } from '../../../task/data.ts';
import { readableState } from '../tasks.ts';

const CATEGORY = 'queue';
const schema = z.object({
  /** How often the task was taken over from a worker that died of it, with nothing recorded since. */
  takeovers: z.int().min(0),
  /** Where its journal ended when that was last counted. */
  counted_at: z.int().min(0).optional(),
  /** Its worker was told to end: whatever becomes of that one, it has not died of the task. */
  released: z.literal(true).optional(),
});
type Place = z.infer<typeof schema>;

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
  await storage.save(CATEGORY, placeOf(data), { takeovers: 0 });
}

export async function dequeue(storage: Storage, place: string): Promise<void> {
  await storage.delete(CATEGORY, place);
}

/** What stands at a place, and its revision; null where the task has left the queue. */
export async function readPlace(
  storage: Storage,
  place: string,
): Promise<(Place & { readonly revision: number }) | null> {
  const found = await storage.get(CATEGORY, place);
  return found && { ...placeIn(found.data), revision: found.revision };
}

/** As it is read from wherever it is kept. */
export function placeIn(stored: unknown): Place {
  return schema.safeParse(stored).data ?? { takeovers: 0 };
}

/** STALE_WRITE when somebody else wrote it since; its new revision. */
export async function writePlace(
  storage: Storage,
  place: string,
  data: Place,
  expect: number,
): Promise<number> {
  const records = [{ category: CATEGORY, key: place, data, expect }];
  const receipt = await storage.commit({ task: null, records });
  return receipt.records[0]!.revision;
}

export interface Turn {
  readonly task: string;
  readonly place: string;
}

/** What there is to run, in turn. Places of tasks that are done, or rest, are let go on the way. */
export async function* turns(storage: Storage): AsyncGenerator<Turn> {
  for await (const place of everyKey(storage, CATEGORY, { limit: 20 })) {
    const task = place.slice(place.indexOf('/') + 1);
    const state = await readableState(storage, task);
    if (!state) continue; // It is being made, or cannot be read.
    if (state.status === 'queued') yield { task, place };
    else if (state.status !== 'in_progress' && state.status !== 'waiting') await dequeue(storage, place);
    else if (!(await storage.owner(task))) yield { task, place };
  }
}
