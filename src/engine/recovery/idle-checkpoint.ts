/** A checkpoint of a task that is not running: the first one of a fork, and where a retry leaves none. */
import { type CheckpointTrigger, checkpointKey } from '../../checkpoint/record/record.ts';
import { storeCheckpoint } from '../../checkpoint/values/stored.ts';
import type { CheckpointsConfig } from '../../config/types.ts';
import { next } from '../../storage/chain.ts';
import type { NewBlob, Position } from '../../storage/contract.ts';
import { encode } from '../../storage/serialize.ts';
import type { TaskState } from '../../task/state.ts';
import { NO_CHANGES } from '../files/changes.ts';
import { checkpointBody } from '../run/checkpoint-body.ts';
import type { Entry } from '../task/entries.ts';
import type { Memory } from '../task/memory.ts';
import type { Head } from '../task/records/head.ts';

export interface IdleTask {
  readonly head: Head;
  readonly state: TaskState;
  readonly memory: Memory;
  /** What it requires of the environment. */
  readonly requirements: Readonly<Record<string, string>>;
}

export interface IdlePlace {
  /** Where the journal ended, and what is appended together with the checkpoint. */
  readonly after: Position;
  readonly entries: readonly Entry[];
  readonly sequence: number;
  readonly trigger: CheckpointTrigger;
  readonly now: Date;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** The files, where they are known. */
  readonly snapshot?: string | undefined;
}

export interface IdleCheckpoint {
  readonly id: string;
  /** What must be stored before the record. */
  readonly blobs: readonly NewBlob[];
  readonly record: { readonly category: 'tasks'; readonly key: string; readonly data: unknown };
}

export function idleCheckpoint(
  { head, state, memory, requirements }: IdleTask,
  { after, entries, sequence, trigger, now, metadata = {}, snapshot }: IdlePlace,
  settings: CheckpointsConfig,
): IdleCheckpoint {
  const body = checkpointBody(
    {
      head,
      memory,
      definition: { env_requirements: requirements },
      current: () => ({ state, agent: '', step: null }),
    },
    {
      sequence,
      trigger,
      priority: 'normal',
      now,
      metadata,
      journal: entries.reduce((position, entry) => next(position, encode(entry)), after),
      file_changes: NO_CHANGES,
      snapshot,
    },
  );
  const { data, blobs } = storeCheckpoint(body, settings, 'packed');
  const key = checkpointKey(head.task_id, body.created_at, sequence);
  return { id: body.id, blobs, record: { category: 'tasks', key, data } };
}
