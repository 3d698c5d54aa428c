/** Queued tasks: a small record each, whose keys sort in the order of their turns, so that finding the next reads little. */

import * as z from 'zod';
import type { Storage } from '../../../storage/contract.ts';
import type { QueuedData, TaskComplexity, TaskPriority } from '../../../task/data.ts';
import { keyOf, type RecordKind } from './kind.ts';

/** Created again when the task is imported. */
export const QUEUE: RecordKind = {
  category: 'queue',
  key: '*/{task}',
  travels: 'here',
  keeps: 'nothing',
  needed: 'while_unfinished',
};
const CATEGORY = QUEUE.category;
const schema = z.object({
  /** How often the task was taken over from a worker that died while running it, with nothing recorded since. */
  takeovers: z.int().min(0),
  /** Where its journal ended when that was last counted. */
  counted_at: z.int().min(0).optional(),
  /** Its worker was asked to end: its death does not count against the task. */
  released: z.literal(true).optional(),
});
type QueueRecord = z.infer<typeof schema>;

const PRIORITY: Readonly<Record<TaskPriority, number>> = { critical: 0, high: 1, normal: 2, low: 3 };
const COMPLEXITY: Readonly<Record<TaskComplexity, number>> = { low: 0, medium: 1, high: 2 };

/**
 * By priority, then the simpler first, then the older, as ids sort by age. Without an estimate a task counts as of medium
 * complexity.
 */
export function queueKey({ task_id, priority, estimated_complexity }: QueuedData): string {
  return keyOf(QUEUE, task_id, `${PRIORITY[priority]}-${COMPLEXITY[estimated_complexity ?? 'medium']}`);
}

/** Before the task itself is written: a queue record without a task is ignored. */
export async function enqueue(storage: Storage, data: QueuedData): Promise<void> {
  await storage.save(CATEGORY, queueKey(data), { takeovers: 0 });
}

export async function dequeue(storage: Storage, key: string): Promise<void> {
  await storage.delete(CATEGORY, key);
}

/** The queue record, and its revision; null where the task has left the queue. */
export async function readQueueRecord(
  storage: Storage,
  key: string,
): Promise<(QueueRecord & { readonly revision: number }) | null> {
  const found = await storage.get(CATEGORY, key);
  return found && { ...parseQueueRecord(found.data), revision: found.revision };
}

/** As it is read from wherever it is kept. */
export function parseQueueRecord(stored: unknown): QueueRecord {
  return schema.safeParse(stored).data ?? { takeovers: 0 };
}

/** STALE_WRITE if another process wrote it since; returns its new revision. */
export async function writeQueueRecord(
  storage: Storage,
  key: string,
  data: QueueRecord,
  expect: number,
): Promise<number> {
  const records = [{ category: CATEGORY, key, data, expect }];
  const receipt = await storage.commit({ task: null, records });
  return receipt.records[0]!.revision;
}

export interface Turn {
  readonly task: string;
  readonly key: string;
}
