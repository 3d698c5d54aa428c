/** Where a task's checkpoint records are in the store. */
import type { Storage } from '../../storage/contract.ts';
import { everyKey } from '../../storage/walk.ts';
import { parseCheckpointId, sequenceOfKey } from './record.ts';

export interface CheckpointPlace {
  readonly sequence: number;
  readonly key: string;
}

/** Oldest first. Reads only keys, except for records that were saved without their number in the key. */
export async function checkpointPlaces(storage: Storage, task: string): Promise<CheckpointPlace[]> {
  const places: CheckpointPlace[] = [];
  for await (const key of everyKey(storage, 'tasks', { prefix: `${task}/checkpoints/` })) {
    const sequence = sequenceOfKey(key) ?? (await sequenceIn(storage, key));
    if (sequence !== null) places.push({ sequence, key });
  }
  return places.sort((a, b) => a.sequence - b.sequence);
}

async function sequenceIn(storage: Storage, key: string): Promise<number | null> {
  const { id } = ((await storage.load('tasks', key)) ?? {}) as { id?: unknown };
  return typeof id === 'string' ? (parseCheckpointId(id)?.sequence ?? null) : null;
}
