/** Where a task's checkpoint records lie in the store. */
import type { Storage } from '../storage/contract.ts';
import { parseCheckpointId, sequenceOfKey } from './record.ts';

export interface CheckpointPlace {
  readonly sequence: number;
  readonly key: string;
}

/** Oldest first. Reads keys alone, but for records that were saved without their number in the key. */
export async function checkpointPlaces(storage: Storage, task: string): Promise<CheckpointPlace[]> {
  const places: CheckpointPlace[] = [];
  let after: string | null = null;
  do {
    const query = { prefix: `${task}/checkpoints/`, limit: 1_000, ...(after === null ? {} : { after }) };
    const page = await storage.page('tasks', query);
    for (const key of page.keys) {
      const sequence = sequenceOfKey(key) ?? (await sequenceIn(storage, key));
      if (sequence !== null) places.push({ sequence, key });
    }
    after = page.next;
  } while (after !== null);
  return places.sort((a, b) => a.sequence - b.sequence);
}

async function sequenceIn(storage: Storage, key: string): Promise<number | null> {
  const { id } = ((await storage.load('tasks', key)) ?? {}) as { id?: unknown };
  return typeof id === 'string' ? (parseCheckpointId(id)?.sequence ?? null) : null;
}
