/** A task's checkpoint records in the store. */

import { creatingKey } from '../../../checkpoint/creating.ts';
import { type CheckpointPlace, checkpointPlaces } from '../../../checkpoint/record/places.ts';
import { type CheckpointRecord, parseCheckpointId } from '../../../checkpoint/record/record.ts';
import { readCheckpoint } from '../../../checkpoint/values/stored.ts';
import { EngineError, VibeError } from '../../../errors.ts';
import { phrase } from '../../../phrase.ts';
import type { Storage } from '../../../storage/contract.ts';
import type { RecordKind } from './kind.ts';

export { type CheckpointPlace, checkpointPlaces as liveCheckpoints };

/** Made by `checkpointKey`. Each is a position in the journal, with a record of the state there. */
export const CHECKPOINT: RecordKind = {
  category: 'tasks',
  key: '{task}/checkpoints/*',
  travels: 'always',
  keeps: 'all',
  change: (stored, { checkpoint }) => checkpoint(stored),
};

/** The only record of a task whose creation was not finished. */
export const CREATING: RecordKind = {
  category: 'tasks',
  key: creatingKey('{task}'),
  travels: 'here',
  keeps: 'all',
};

/** The record, or why it cannot be used. */
export async function tryCheckpoint(
  storage: Storage,
  task: string,
  place: CheckpointPlace,
): Promise<{ record: CheckpointRecord } | { problem: string }> {
  try {
    return { record: await recordAt(storage, task, place) };
  } catch (error) {
    if (!(error instanceof VibeError)) throw error;
    return { problem: error.message };
  }
}

/** A checkpoint by its id; CHECKPOINT_NOT_FOUND or CORRUPT. */
export async function requireCheckpoint(storage: Storage, id: string): Promise<CheckpointRecord> {
  const parsed = parseCheckpointId(id);
  const places = parsed ? await checkpointPlaces(storage, parsed.task) : [];
  const place = places.find(({ sequence }) => sequence === parsed?.sequence);
  if (!parsed || !place) {
    throw new EngineError('CHECKPOINT_NOT_FOUND', phrase`There is no checkpoint ${id}.`, {
      data: { id },
      hint: phrase`List the checkpoints of the task; older ones may have been cleaned up.`,
    });
  }
  return recordAt(storage, parsed.task, place);
}

async function recordAt(storage: Storage, task: string, { key }: CheckpointPlace): Promise<CheckpointRecord> {
  return readCheckpoint(await storage.load('tasks', key), (id) => storage.getBlob(task, id));
}
