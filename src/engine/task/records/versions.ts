/** `tasks/{task}/versions`: the task's place in git, outside its journal, because a rollback does not undo it. */

import { parseTracker, pendingEvents, resolveEvents, type VersionTracker } from '../../../drift/tracker.ts';
import { CorruptError } from '../../../errors.ts';
import { loadState } from '../../../persistence/state-records.ts';
import { phrase } from '../../../phrase.ts';
import type { RecordWrite, Storage } from '../../../storage/contract.ts';
import { FAILED_DAYS, isExpired } from '../../../task/resumable.ts';
import type { TaskState } from '../../../task/state.ts';
import { isFinal } from '../../../task/status.ts';
import { keyOf, type RecordKind } from './kind.ts';

export const VERSIONS: RecordKind = {
  category: 'tasks',
  key: '{task}/versions',
  travels: 'always',
  keeps: 'all',
  check: (stored, task) => void openTracker(task, stored),
};

export function trackerRecord(tracker: VersionTracker): RecordWrite {
  return { category: 'tasks', key: keyOf(VERSIONS, tracker.task_id), data: { version: '1.0', ...tracker } };
}

/** Null for a task that never was in a repository. */
export async function loadTracker(storage: Storage, task: string): Promise<VersionTracker | null> {
  const stored = await storage.load('tasks', keyOf(VERSIONS, task));
  return stored === null ? null : openTracker(task, stored);
}

export interface Reading {
  readonly now: Date;
  readonly failed_days: number;
}

/** As shown: nothing is pending in a task that has ended. */
export async function loadVersions(
  storage: Storage,
  task: string,
  reading: Reading = { now: new Date(), failed_days: FAILED_DAYS },
): Promise<VersionTracker | null> {
  const tracker = await loadTracker(storage, task);
  if (!tracker || pendingEvents(tracker).length === 0) return tracker;
  const state = await loadState(storage, task);
  return state ? endedTracker(tracker, state, reading) : tracker;
}

/** Undecided drift ends with the task: a cancel counts as handled, any other end as ignored. */
export function endedTracker(
  tracker: VersionTracker,
  state: TaskState,
  { now, failed_days }: Reading,
): VersionTracker {
  if (!isOver(state, now, failed_days)) return tracker;
  const resolution = state.status === 'cancelled' ? 'user_handled' : 'ignored';
  return resolveEvents(tracker, resolution, state.updated_at);
}

/** It can neither be resumed nor retried. */
export function isOver(state: TaskState, now: Date, failed_days: number): boolean {
  if (state.status !== 'failed') return isFinal(state.status);
  return !state.data.recoverable || isExpired(state, now, failed_days);
}

/** The stored record, if it belongs to this task. */
export function openTracker(task: string, stored: unknown): VersionTracker {
  const { version, ...rest } = (stored ?? {}) as Record<string, unknown>;
  const tracker = version === '1.0' ? parseTracker(rest) : null;
  if (tracker?.task_id === task) return tracker;
  throw new CorruptError(phrase`The record of task ${task}'s place in git is damaged.`, {
    data: { task },
    hint: phrase`Remove the record tasks/${keyOf(VERSIONS, task)} from the store: it is written again when the task is resumed.`,
  });
}
