/** Creates, finds and lists tasks. */

import { CorruptError, EngineError, InvalidStateError, type VibeError } from '../../errors.ts';
import { loadState, stateRecord } from '../../persistence/state-records.ts';
import { phrase } from '../../phrase.ts';
import { START } from '../../storage/chain.ts';
import type { Commit, RecordWrite, Storage } from '../../storage/contract.ts';
import { isTaskId } from '../../storage/keys.ts';
import { everyTask } from '../../storage/walk.ts';
import type { TaskComplexity, TaskPriority } from '../../task/data.ts';
import type { TaskState } from '../../task/state.ts';
import type { TaskStatus } from '../../task/status.ts';
import { queueTask } from '../../task/transition.ts';
import type { TaskDefinition } from '../api/definition.ts';
import { isUnreadable } from './damage.ts';
import { type Head, headRecord, loadHead } from './records/head.ts';
import type { Moved } from './transitions.ts';

export interface TaskOptions {
  /** Its readable name; default: the definition's name. */
  readonly task_name?: string;
  readonly priority?: TaskPriority;
  readonly estimated_complexity?: TaskComplexity;
  /** Its working directory; default: the engine's project directory. */
  readonly working_dir?: string;
  /** Kept with the task and its forks: says where to find its code on resume, such as a file name. */
  readonly origin?: Readonly<Record<string, unknown>>;
  /** Its id; default: a new one. */
  readonly task_id?: string;
}

export interface StoredTask {
  readonly head: Head;
  readonly state: TaskState;
}

export function newTask(
  id: string,
  definition: Pick<TaskDefinition, 'name' | 'fingerprint'>,
  input: unknown,
  options: TaskOptions & { working_dir: string; told_where?: boolean },
  now: Date,
): StoredTask {
  const { task_name = definition.name, priority, estimated_complexity, working_dir, origin } = options;
  const state = queueTask(
    {
      task_id: id,
      task_name,
      input_request: input,
      ...(priority ? { priority } : {}),
      ...(estimated_complexity ? { estimated_complexity } : {}),
    },
    now,
  );
  const head: Head = {
    version: '1.0',
    task_id: id,
    task_name,
    created_at: state.created_at,
    definition: { name: definition.name, fingerprint: definition.fingerprint },
    input,
    working_dir,
    ...(options.told_where ? { told_where: true } : {}),
    ...(origin === undefined ? {} : { origin }),
    lineage: [],
    dead: [],
    undone: [],
    last_checkpoint: 0,
    retries: 0,
  };
  return { head, state };
}

export interface CreationOptions {
  readonly fence?: number | undefined;
  /** Where it goes from `queued` at once. */
  readonly moved?: Moved;
  /** Records that change with it. */
  readonly records?: readonly RecordWrite[];
}

/** The commit that creates a task; refused if the id exists. */
export function creation({ head, state }: StoredTask, options: CreationOptions = {}): Commit {
  const { fence, moved, records: more = [] } = options;
  const at = state.created_at;
  const made = [headRecord(head), stateRecord(moved?.state ?? state)];
  const records = [...made.map((record) => ({ ...record, expect: 0 })), ...more];
  const entries = [
    { t: 'status', at, from: null, to: state.status, reason: null },
    ...(moved?.entries ?? []),
  ];
  return {
    task: head.task_id,
    records,
    append: { after: START, entries },
    ...(fence === undefined ? {} : { fence }),
  };
}

export async function requireTask(storage: Storage, id: string): Promise<StoredTask> {
  const head = await loadHead(storage, id);
  const state = await loadState(storage, id).catch((error) => {
    throw head && isUnreadable(error) ? unreadableState(id, error) : error;
  });
  if (head && state) return { head, state };
  if (head) throw lostState(id);
  if (await hasEntries(storage, id)) throw lostHead(id);
  await storage.tasks({ limit: 1 }); // Throws if everything was moved elsewhere.
  throw new EngineError('TASK_NOT_FOUND', phrase`There is no task ${id} in this store.`, {
    data: { task: id },
    hint: phrase`List the tasks to see their ids, and check that this is the right store.`,
  });
}

async function hasEntries(storage: Storage, id: string): Promise<boolean> {
  return isTaskId(id) && (await storage.position(id)).seq > 0;
}

/** A damaged journal also prevents reading the state: that error is passed on. */
function unreadableState(task: string, cause: VibeError): VibeError {
  if (!(cause instanceof InvalidStateError)) return cause;
  return new CorruptError(phrase`The state of task ${task} is damaged: ${cause.message}`, {
    data: { ...cause.data, task },
    cause,
    hint: phrase`Resume it: vibe-engine resume ${task}. The state is made again from the journal.`,
  });
}

function lostState(task: string): CorruptError {
  return new CorruptError(phrase`The state of task ${task} is missing.`, {
    data: { task },
    hint: phrase`Resume it: vibe-engine resume ${task}. The state is made again from the journal.`,
  });
}

function lostHead(task: string): CorruptError {
  return new CorruptError(phrase`The head of task ${task} is missing: it says what the task is.`, {
    data: { task },
    hint: phrase`It cannot be resumed without it. Restore the store from a backup, or start the task again.`,
  });
}

export interface TaskQuery {
  readonly status?: TaskStatus | readonly TaskStatus[];
  /** Only those that can be resumed now: not running, and resumable. */
  readonly resumable?: boolean;
  readonly limit?: number;
  /** Continue after this id. */
  readonly after?: string;
}

/** Newest first. A task whose state cannot be read is left out. */
export async function listTasks(
  storage: Storage,
  query: TaskQuery,
  isResumable: (state: TaskState) => Promise<boolean>,
): Promise<TaskState[]> {
  const wanted = query.status === undefined ? null : new Set([query.status].flat());
  const limit = query.limit ?? 100;
  const found: TaskState[] = [];
  const { after } = query;
  const newestFirst = { reverse: true, limit: 100, ...(after === undefined ? {} : { after }) };
  for await (const id of everyTask(storage, newestFirst)) {
    const state = await readableState(storage, id);
    if (!state || (wanted && !wanted.has(state.status))) continue;
    if (query.resumable !== undefined && query.resumable !== (await isResumable(state))) continue;
    found.push(state);
    if (found.length === limit) break;
  }
  return found;
}

/** Null if there is no readable one; also for names that are not task ids. */
export async function readableState(storage: Storage, id: string): Promise<TaskState | null> {
  if (!isTaskId(id)) return null;
  try {
    return await loadState(storage, id);
  } catch (error) {
    if (error instanceof CorruptError || error instanceof InvalidStateError) return null;
    throw error;
  }
}

/** The code of a tracked execution is not known: it cannot be resumed, only tracked. */
export const TRACKED: { readonly name: string; readonly fingerprint: string } = {
  name: 'tracked execution',
  fingerprint: 'tracked',
};
