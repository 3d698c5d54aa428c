/** The history of an execution: read from the journal of its task each time, so that it always matches. */

import type { VersionTracker } from '../../drift/tracker.ts';
import type { Storage } from '../../storage/contract.ts';
import { checkpointId } from '../../task/keys.ts';
import type { TaskStatus } from '../../task/status.ts';
import type { Entry } from '../task/entries.ts';
import { foldJournal } from '../task/journal.ts';
import { loadCleaned } from '../task/records/cleaned.ts';
import { HISTORY } from '../task/records/copies.ts';
import type { Head } from '../task/records/head.ts';
import { keyOf } from '../task/records/kind.ts';
import { loadVersions, type Reading } from '../task/records/versions.ts';
import { listCheckpoints } from './checkpoints.ts';
import { createStepRecords, type StepRecord } from './history-steps.ts';
import { type Marks, markReader } from './marks.ts';

/** The history as the engine reads it: checkpoints by their ids, however long the conversation. */
export interface TaskHistory {
  /** The task's id. */
  readonly execution_id: string;
  readonly task_name: string;
  /** When it first ran; null while it is queued. */
  readonly start_time: string | null;
  /** When it completed, failed or was cancelled; null while it can still continue. */
  readonly end_time: string | null;
  /** In the order in which they were first tried. What was rolled back is not among them. */
  readonly steps: readonly StepRecord[];
  /** The ids of the checkpoints that are kept, oldest first. */
  readonly checkpoints: readonly string[];
  /** Milliseconds from the start to the end, or to the last thing recorded. */
  readonly total_duration: number;
  /** `paused` means that it has not ended; a cancelled execution has failed. `task_status` tells them apart. */
  readonly status: 'success' | 'failed' | 'paused';
  readonly task_status: TaskStatus;
  /** Why it failed or was cancelled, in a sentence. */
  readonly error: string | null;
  /** How often it was resumed. */
  readonly recovery_attempts: number;
  readonly last_checkpoint: string | null;
  /** When its changes to files were undone without changing the task, oldest first; without those redone since. */
  readonly files_undone: readonly FilesUndone[];
  /** Its place in git and the drift that was found; null where it was in no repository. */
  readonly versions: VersionTracker | null;
}

interface FilesUndone {
  readonly at: string;
  readonly by: string | null;
  /** Back to this checkpoint; null if all changes were undone. */
  readonly checkpoint: string | null;
}

/**
 * Reads the journal once, entry by entry, keeping neither results nor conversation. For a task whose journal clean-up has
 * removed, returns the history saved then.
 */
export async function readHistory(storage: Storage, head: Head, reading?: Reading): Promise<TaskHistory> {
  const { emptied_at } = await loadCleaned(storage, head.task_id);
  const saved =
    emptied_at === null ? null : await storage.load(HISTORY.category, keyOf(HISTORY, head.task_id));
  if (saved !== null) {
    const versions = await loadVersions(storage, head.task_id, reading);
    const whole = saved as TaskHistory;
    const { files_undone = [] } = whole; // Older versions saved it without.
    return { ...whole, files_undone, checkpoints: [], last_checkpoint: null, versions };
  }
  const reader = createHistoryReader();
  const { take, marks } = markReader(head);
  await foldJournal(storage, head, [({ entry }) => reader.add(entry), take]);
  return finishHistory(storage, head, { reader, marks }, reading);
}

/** Of a journal that was read to its end. */
export async function finishHistory(
  storage: Storage,
  head: Head,
  { reader, marks }: { readonly reader: HistoryReader; readonly marks: Marks },
  reading?: Reading,
): Promise<TaskHistory> {
  const places = await listCheckpoints(storage, head, marks);
  const checkpoints = places.map(({ sequence }) => checkpointId(head.task_id, sequence));
  return {
    ...reader.finish(head, checkpoints),
    versions: await loadVersions(storage, head.task_id, reading),
  };
}

interface HistoryReader {
  add(entry: Entry): void;
  finish(
    head: Pick<Head, 'task_id' | 'task_name'>,
    checkpoints: readonly string[],
  ): Omit<TaskHistory, 'versions'>;
}

export function createHistoryReader(): HistoryReader {
  const steps = createStepRecords();
  let status: { to: TaskStatus; at: string; reason: string | null } | null = null;
  let start: string | null = null;
  let last: string | null = null;
  let recoveries = 0;
  const undone: FilesUndone[] = [];

  return {
    add(entry) {
      if (last === null || entry.at > last) last = entry.at;
      steps.add(entry);
      if (entry.t === 'recovery') recoveries++;
      if (entry.t === 'rollback' && entry.files)
        undone.push({ at: entry.at, by: entry.by ?? null, checkpoint: entry.checkpoint });
      if (entry.t !== 'status') return;
      status = { to: entry.to as TaskStatus, at: entry.at, reason: entry.reason };
      if (entry.to === 'in_progress') start ??= entry.at;
    },

    finish({ task_id, task_name }, checkpoints) {
      const { to, at, reason } = status ?? { to: 'queued' as const, at: null, reason: null };
      const ended = OUTCOMES[to] !== undefined;
      const until = ended ? at : last;
      return {
        execution_id: task_id,
        task_name,
        start_time: start,
        end_time: ended ? at : null,
        steps: steps.all(),
        checkpoints,
        total_duration: start === null || until === null ? 0 : Date.parse(until) - Date.parse(start),
        status: OUTCOMES[to] ?? 'paused',
        task_status: to,
        error: ended ? reason : null,
        recovery_attempts: recoveries,
        last_checkpoint: checkpoints.at(-1) ?? null,
        files_undone: undone,
      };
    },
  };
}

const OUTCOMES: Partial<Record<TaskStatus, TaskHistory['status']>> = {
  completed: 'success',
  failed: 'failed',
  cancelled: 'failed',
};
