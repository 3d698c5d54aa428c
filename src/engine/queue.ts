/** Tasks that wait to run: kept as small records, so that finding the next does not mean reading every task. */
import * as z from 'zod';
import type { Storage } from '../storage/contract.ts';
import { loadState } from '../storage/state-records.ts';
import type { QueuedData, TaskComplexity, TaskPriority } from '../task/data.ts';

const CATEGORY = 'queue';
const schema = z.object({
  priority: z.enum(['low', 'normal', 'high', 'critical']),
  estimated_complexity: z.enum(['low', 'medium', 'high']).nullable(),
});
type Place = z.infer<typeof schema> & { readonly task: string };

const PRIORITY: Readonly<Record<TaskPriority, number>> = { critical: 0, high: 1, normal: 2, low: 3 };
const COMPLEXITY: Readonly<Record<TaskComplexity, number>> = { low: 0, medium: 1, high: 2 };

/** Before the task itself is written: a place without a task is found empty and let go. */
export async function enqueue(storage: Storage, task: string, data: QueuedData): Promise<void> {
  const { priority, estimated_complexity } = data;
  await storage.save(CATEGORY, task, { priority, estimated_complexity });
}

export async function dequeue(storage: Storage, task: string): Promise<void> {
  await storage.delete(CATEGORY, task);
}

/** The ids of queued tasks: by priority, then the simpler first, then the older. */
export async function queued(storage: Storage): Promise<string[]> {
  const places: Place[] = [];
  for (const task of await storage.list(CATEGORY)) {
    const parsed = schema.safeParse(await storage.load(CATEGORY, task));
    if (parsed.success) places.push({ ...parsed.data, task });
  }
  places.sort(byTurn);
  const found: string[] = [];
  for (const { task } of places) {
    const state = await loadState(storage, task);
    if (state?.status === 'queued') found.push(task);
    else if (state) await dequeue(storage, task);
  }
  return found;
}

/** A task nobody has estimated counts as of medium complexity. */
export function byTurn(a: Place, b: Place): number {
  return (
    PRIORITY[a.priority] - PRIORITY[b.priority] ||
    COMPLEXITY[a.estimated_complexity ?? 'medium'] - COMPLEXITY[b.estimated_complexity ?? 'medium'] ||
    (a.task < b.task ? -1 : 1)
  );
}
