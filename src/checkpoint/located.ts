/** Where a task's checkpoints are: in records of their own, and, for tasks of an engine, in the journal. */
import type { CleanupConfig } from '../config/types.ts';
import { CorruptError } from '../errors.ts';
import { phrase } from '../phrase.ts';
import type { Storage } from '../storage/contract.ts';
import { everyKey } from '../storage/walk.ts';
import { checkpointsPrefix, parseCheckpointId, sequenceOfKey } from '../task/keys.ts';
import { thin } from './cleanup/thin.ts';
import type { ContextEntries } from './context/context.ts';
import type { CheckpointContext, CheckpointRecord } from './record/record.ts';
import type { LoadBlob } from './values/pack.ts';
import { readCheckpoint } from './values/stored.ts';

/** One that is there, whether it can be read or not. */
export interface Located {
  readonly sequence: number;
  /** The key of its record; null if only the journal has it. */
  readonly key: string | null;
  /** CORRUPT if it is damaged. */
  read(): Promise<CheckpointRecord>;
}

export interface ListOptions {
  /** Every one there is, not only those that `cleanup.max_per_task` leaves in the list. Default: false. */
  readonly all?: boolean;
}

export interface CheckpointSource {
  /** Those that are listed, oldest first; `all`: also those that are not. */
  list(task: string, options?: ListOptions): Promise<readonly Located[]>;
  /** One by its number, also if it is no longer listed. */
  find(task: string, sequence: number): Promise<Located | null>;
  /** One together with its context, where both are read in one pass; null where they are not. */
  load?(task: string, sequence: number, collect: CollectContext): Promise<LoadedWith | null>;
}

export type CollectContext = (entries: ContextEntries) => Promise<CheckpointContext>;

export interface LoadedWith {
  readonly record: CheckpointRecord;
  readonly context: CheckpointContext;
}

/** A record at a key, before it is read. */
export interface CheckpointKey {
  readonly sequence: number;
  readonly key: string;
}

/** Oldest first. Reads only keys, except for records that were saved without their number in the key. */
export async function checkpointKeys(storage: Storage, task: string): Promise<CheckpointKey[]> {
  const keys: CheckpointKey[] = [];
  for await (const key of everyKey(storage, 'tasks', { prefix: checkpointsPrefix(task) })) {
    const sequence = sequenceOfKey(key) ?? (await sequenceIn(storage, key));
    if (sequence !== null) keys.push({ sequence, key });
  }
  return keys.sort((a, b) => a.sequence - b.sequence);
}

async function sequenceIn(storage: Storage, key: string): Promise<number | null> {
  const { id } = ((await storage.load('tasks', key)) ?? {}) as { id?: unknown };
  return typeof id === 'string' ? (parseCheckpointId(id)?.sequence ?? null) : null;
}

/** A checkpoint with a record of its own. */
export type LocatedRecord = Located & CheckpointKey;

/** Oldest first. */
export async function locatedRecords(
  storage: Storage,
  task: string,
  load: LoadBlob,
): Promise<LocatedRecord[]> {
  return (await checkpointKeys(storage, task)).map((place) => locatedRecord(storage, task, place, load));
}

function locatedRecord(
  storage: Storage,
  task: string,
  { sequence, key }: CheckpointKey,
  load: LoadBlob,
): LocatedRecord {
  const read = async (): Promise<CheckpointRecord> => {
    const record = await readCheckpoint(await storage.load('tasks', key), load);
    if (record.task_id === task && record.sequence_number === sequence) return record;
    throw new CorruptError(phrase`The record at tasks/${key} is the checkpoint ${record.id}.`, {
      data: { key, id: record.id },
      hint: phrase`It was copied or moved there. Recovery falls back to the checkpoint before it.`,
    });
  };
  return { sequence, key, read };
}

/** Records alone. */
export function recordSource(storage: Storage, loadOf: (task: string) => LoadBlob): CheckpointSource {
  const list = (task: string): Promise<LocatedRecord[]> => locatedRecords(storage, task, loadOf(task));
  return {
    list,
    find: async (task, sequence) => (await list(task)).find((one) => one.sequence === sequence) ?? null,
  };
}

/** The keys of records to remove. What the journal marks is taken off the list by the next run. */
export function thinnedRecords(
  keys: readonly Pick<Located, 'sequence' | 'key'>[],
  { max_per_task, sample_every }: Pick<CleanupConfig, 'max_per_task' | 'sample_every'>,
): string[] {
  const sequences = keys.map(({ sequence }) => sequence);
  const gone = new Set(thin(sequences, max_per_task, sample_every));
  return keys.flatMap(({ sequence, key }) => (gone.has(sequence) && key !== null ? [key] : []));
}
