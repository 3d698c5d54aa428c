/** Where checkpoint records are stored: `tasks/{task_id}/checkpoints/{timestamp}`, found again by their id. */
import { InvalidInputError, StaleWriteError } from '../errors.ts';
import { phrase } from '../phrase.ts';
import type { RecordWrite, Storage } from '../storage/contract.ts';
import { everyKey } from '../storage/walk.ts';
import { checkpointsPrefix, parseCheckpointId, timestampKey } from '../task/keys.ts';

/** What a record must have to be stored as a checkpoint; the rest of it is not looked at. */
export interface CheckpointRecord {
  /** `ckpt-{task_id}-{sequence_number}` */
  readonly id: string;
  readonly task_id: string;
  /** ISO 8601. */
  readonly created_at: string;
}

/** For writes into a task that the caller has claimed. */
export interface TaskWrite {
  readonly fence?: number | undefined;
}

/** Stores it, replacing one with the same id. */
export async function saveCheckpoint(
  storage: Storage,
  checkpoint: CheckpointRecord,
  write: TaskWrite = {},
): Promise<string> {
  const { task_id, created_at } = checkpoint;
  const { task, sequence } = partsOf(checkpoint.id);
  if (task !== task_id || Number.isNaN(Date.parse(created_at))) throw notACheckpoint(checkpoint);
  const timestamp = timestampKey(task, created_at);
  const record = { category: 'tasks', data: checkpoint };
  for (;;) {
    const there = await storage.get('tasks', timestamp);
    // Of several checkpoints in the same millisecond, all but the first have their number in the key.
    if (there && (there.data as CheckpointRecord).id !== checkpoint.id)
      return commitRecord(storage, task, { ...record, key: `${timestamp}-${sequence}` }, write);
    const expect = there?.revision ?? 0;
    try {
      return await commitRecord(storage, task, { ...record, key: timestamp, expect }, write);
    } catch (error) {
      if (!(error instanceof StaleWriteError)) throw error;
    }
  }
}

export async function loadCheckpoint(storage: Storage, id: string): Promise<CheckpointRecord | null> {
  return (await find(storage, id))?.checkpoint ?? null;
}

/** The ids of a task's checkpoints, in the order of their numbers. */
export async function listCheckpoints(storage: Storage, task: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { checkpoint } of checkpointsOf(storage, task)) ids.push(checkpoint.id);
  return ids.sort((a, b) => partsOf(a).sequence - partsOf(b).sequence);
}

/** Returns whether it existed. */
export async function deleteCheckpoint(
  storage: Storage,
  id: string,
  write: TaskWrite = {},
): Promise<boolean> {
  const found = await find(storage, id);
  if (!found) return false;
  await commitRecord(storage, partsOf(id).task, { category: 'tasks', key: found.key, remove: true }, write);
  return true;
}

/** Commits one record of a task and returns its location. */
export async function commitRecord(
  storage: Storage,
  task: string,
  record: RecordWrite,
  { fence }: TaskWrite,
): Promise<string> {
  const receipt = await storage.commit({
    task,
    records: [record],
    ...(fence === undefined ? {} : { fence }),
  });
  return receipt.records[0]!.location;
}

interface Found {
  readonly key: string;
  readonly checkpoint: CheckpointRecord;
}

async function find(storage: Storage, id: string): Promise<Found | null> {
  for await (const found of checkpointsOf(storage, partsOf(id).task))
    if (found.checkpoint.id === id) return found;
  return null;
}

async function* checkpointsOf(storage: Storage, task: string): AsyncGenerator<Found> {
  for await (const key of everyKey(storage, 'tasks', { prefix: checkpointsPrefix(task) })) {
    const checkpoint = (await storage.load('tasks', key)) as CheckpointRecord | null;
    if (checkpoint) yield { key, checkpoint };
  }
}

function partsOf(id: string): { task: string; sequence: number } {
  const parts = parseCheckpointId(id);
  if (!parts) throw notACheckpoint({ id });
  return parts;
}

function notACheckpoint(given: Partial<CheckpointRecord>): InvalidInputError {
  return new InvalidInputError(
    'INVALID_ID',
    phrase`Not a checkpoint: its id is ${JSON.stringify(given.id ?? null)}.`,
    {
      data: { id: given.id ?? null, task_id: given.task_id ?? null, created_at: given.created_at ?? null },
      hint: phrase`The id is "ckpt-{task_id}-{sequence_number}", of the same task_id as the record; created_at is ISO 8601.`,
    },
  );
}
