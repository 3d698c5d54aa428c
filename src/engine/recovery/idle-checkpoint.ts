/** A checkpoint of a task that is not running: the first one of a fork, and where a retry leaves none. */
import { type CheckpointTrigger, NO_CHANGES } from '../../checkpoint/record/record.ts';
import { storeCheckpoint } from '../../checkpoint/values/stored.ts';
import type { CheckpointsConfig } from '../../config/types.ts';
import { next } from '../../storage/chain.ts';
import type { NewBlob, Position, RecordWrite } from '../../storage/contract.ts';
import { encode } from '../../storage/serialize.ts';
import { checkpointKey } from '../../task/keys.ts';
import type { TaskState } from '../../task/state.ts';
import { checkpointBody, rememberedBy } from '../history/checkpoint-body.ts';
import type { Entry } from '../task/entries.ts';
import type { Mark } from '../task/mark.ts';
import type { Memory } from '../task/memory.ts';
import { listedRecord } from '../task/records/checkpoints.ts';
import type { Head } from '../task/records/head.ts';

interface IdleTask {
  readonly head: Head;
  readonly state: TaskState;
  readonly memory: Memory;
  /** What it requires of the environment. */
  readonly requirements: Readonly<Record<string, string>>;
}

interface AtJournalEnd {
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

interface IdleCheckpoint {
  readonly id: string;
  readonly sequence: number;
  /** What must be stored before the record. */
  readonly blobs: readonly NewBlob[];
  /** The entries to append: the last one has its mark. */
  readonly entries: readonly Entry[];
  readonly record: { readonly category: 'tasks'; readonly key: string; readonly data: unknown };
  readonly listed: RecordWrite;
}

export function idleCheckpoint(
  { head, state, memory, requirements }: IdleTask,
  { after, entries, sequence, trigger, now, metadata = {}, snapshot }: AtJournalEnd,
  settings: CheckpointsConfig,
): IdleCheckpoint {
  const mark: Mark = {
    n: sequence,
    by: trigger,
    priority: 'normal',
    ...(snapshot === undefined ? {} : { snapshot }),
    ...(Object.keys(metadata).length > 0 ? { metadata: { ...metadata } } : {}),
    ...(Object.keys(requirements).length > 0 ? { requires: { ...requirements } } : {}),
  };
  const marked = [...entries.slice(0, -1), { ...entries.at(-1)!, mark }];
  const at = now.toISOString();
  const body = checkpointBody(head, rememberedBy(memory, trigger), {
    sequence,
    trigger,
    priority: 'normal',
    at,
    status: state.status,
    agent: '',
    requires: requirements,
    metadata,
    journal: marked.reduce((position, entry) => next(position, encode(entry)), after),
    file_changes: NO_CHANGES,
    snapshot,
  });
  const { data, blobs } = storeCheckpoint(body, settings, 'packed');
  const key = checkpointKey(head.task_id, body.created_at, sequence);
  return {
    id: body.id,
    sequence,
    blobs,
    entries: marked,
    record: { category: 'tasks', key, data },
    listed: listedRecord(head.task_id, [{ sequence, created_at: at }]),
  };
}
