/** What clean-up decides on: every task of the store. Reads no journals. */

import type { CleanupTask } from '../../checkpoint/cleanup/policies.ts';
import { type CheckpointKey, checkpointKeys } from '../../checkpoint/located.ts';
import { CorruptError, VibeError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Storage } from '../../storage/contract.ts';
import { inSpans } from '../../storage/ranges.ts';
import { encode } from '../../storage/serialize.ts';
import { everyKey } from '../../storage/walk.ts';
import { sequenceOfKey } from '../../task/keys.ts';
import { openState, type TaskState } from '../../task/state.ts';
import { timeOfKey } from '../history/checkpoints.ts';
import {
  CHECKPOINT,
  CREATING,
  LISTED,
  type ListedCheckpoint,
  parseListed,
} from '../task/records/checkpoints.ts';
import { type Cleaned, cleanedKey, loadCleaned, NOT_CLEANED } from '../task/records/cleaned.ts';
import { HEAD, type Head, openHead } from '../task/records/head.ts';
import { keyOf, taskIn } from '../task/records/kind.ts';
import { STATE } from '../task/records/state.ts';

export interface Surveyed {
  readonly task: string;
  /** Null for an execution that has checkpoints, but was never run by an engine. */
  readonly head: Head | null;
  /** The state of a task that failed; not kept in memory for others. */
  readonly failed: TaskState<'failed'> | null;
  /** Revisions of both records, 0 for none: they must be unchanged when something is removed from the task. */
  readonly revisions: { readonly head: number; readonly state: number };
  /** Since when nobody has continued the session of an agent that it is; null where it is none, or has ended. */
  readonly idle_since: string | null;
  readonly lifecycle: Pick<CleanupTask, 'status' | 'finished_at' | 'resumable'>;
  /** Those it had when it was last left, and those with records. */
  readonly checkpoints: readonly KnownCheckpoint[];
  readonly cleaned: Cleaned;
}

export interface KnownCheckpoint {
  readonly sequence: number;
  readonly created_at: string;
  /** The key of its record; null if only the journal has it. */
  readonly key: string | null;
}

export interface Skipped {
  /** Null for data outside tasks. */
  readonly task: string | null;
  readonly why: string;
}

/** A task whose creation was started but not finished. */
export interface Unfinished {
  readonly task: string;
  readonly begun_at: string;
}

/** The task, null if clean-up does not concern it, or why it cannot be read. */
export async function surveyTask(
  storage: Storage,
  task: string,
): Promise<Surveyed | Unfinished | Skipped | null> {
  try {
    const keys = new Set(await keysOf(storage, task));
    const get = async (key: string) => (keys.has(key) ? storage.get('tasks', key) : null);
    const [headRecord, stateRecord] = [await get(keyOf(HEAD, task)), await get(keyOf(STATE, task))];
    const listed = parseListed((await get(keyOf(LISTED, task)))?.data);
    const cleaned = keys.has(cleanedKey(task)) ? await loadCleaned(storage, task) : NOT_CLEANED;
    const checkpoints = known(await checkpointKeysIn(storage, task, keys), listed, cleaned);
    const head = headRecord && openHead(task, headRecord.data);
    const state = stateRecord && openState(stateRecord.data, encode);
    const begun = keys.size === 1 ? await get(keyOf(CREATING, task)) : null;
    if (begun) return { task, begun_at: begun.updated_at };
    if (head && !state) return { task, why: phrase`it is damaged: its state is missing` };
    if (!head && checkpoints.length === 0 && cleaned.emptied_at === null) return null;
    const revisions = { head: headRecord?.revision ?? 0, state: stateRecord?.revision ?? 0 };
    const lifecycle = state ? lifecycleOf(state) : await lifecycleByCheckpoint(storage, checkpoints);
    const failed = state?.status === 'failed' ? state : null;
    const rests_since = state && head?.origin?.kind === 'agent' ? idleSince(state) : null;
    return { task, head, failed, revisions, idle_since: rests_since, lifecycle, checkpoints, cleaned };
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    const why = error instanceof CorruptError ? phrase`it is damaged: ${error.message}` : null;
    return { task, why: why ?? phrase`it cannot be read: ${error.message}` };
  }
}

/** Every key of the task, so that missing records are not read. */
function keysOf(storage: Storage, task: string): Promise<string[]> {
  return Array.fromAsync(everyKey(storage, 'tasks', { prefix: `${task}/` }));
}

async function checkpointKeysIn(
  storage: Storage,
  task: string,
  keys: ReadonlySet<string>,
): Promise<readonly CheckpointKey[]> {
  const places: CheckpointKey[] = [];
  for (const key of keys) {
    if (taskIn(CHECKPOINT, key) === null) continue;
    const sequence = sequenceOfKey(key);
    if (sequence === null) return checkpointKeys(storage, task); // Its number is only in the record.
    places.push({ sequence, key });
  }
  return places;
}

function known(
  records: readonly CheckpointKey[],
  listed: readonly ListedCheckpoint[],
  { emptied_at, removed }: Cleaned,
): KnownCheckpoint[] {
  const all = new Map<number, KnownCheckpoint>(listed.map((one) => [one.sequence, { ...one, key: null }]));
  for (const { sequence, key } of records) all.set(sequence, { sequence, created_at: timeOfKey(key), key });
  return [...all.values()]
    .filter(({ sequence }) => emptied_at === null && !inSpans(removed, sequence))
    .sort((a, b) => a.sequence - b.sequence);
}

/** Damage, or a class that is not registered here: an error that concerns only this task. */
export function isUnreadable(error: unknown): error is VibeError {
  return error instanceof VibeError && UNREADABLE.has(error.code);
}
const UNREADABLE: ReadonlySet<string> = new Set(['CORRUPT', 'INVALID_STATE', 'NOT_SERIALISABLE']);

function lifecycleOf(state: TaskState): Surveyed['lifecycle'] {
  const { status } = state;
  if (state.status === 'failed') {
    return { status, finished_at: state.data.failed_at, resumable: state.data.recoverable };
  }
  if (state.status === 'completed') return { status, finished_at: state.data.completed_at, resumable: false };
  if (state.status === 'cancelled') return { status, finished_at: state.data.cancelled_at, resumable: false };
  return { status, finished_at: null, resumable: true };
}

/** Since its last turn; one that was interrupted, since it was last heard of. */
function idleSince(state: TaskState): string | null {
  if (state.status === 'paused') return state.data.paused_at;
  if (state.status !== 'in_progress') return null;
  return state.data.idle_since ?? state.updated_at;
}

/** The status of an execution without a state, from its newest readable checkpoint. */
async function lifecycleByCheckpoint(
  storage: Storage,
  checkpoints: readonly KnownCheckpoint[],
): Promise<Surveyed['lifecycle']> {
  const newest = checkpoints.at(-1);
  const stored = newest?.key ? await storage.load('tasks', newest.key) : null;
  const data = stored as { state?: { status?: unknown } } | null;
  const status = ENDED.find((ended) => ended === data?.state?.status) ?? 'in_progress';
  const finished_at = newest && status !== 'in_progress' ? newest.created_at : null;
  return { status, finished_at, resumable: status === 'failed' };
}
const ENDED = ['completed', 'failed', 'cancelled'] as const;
