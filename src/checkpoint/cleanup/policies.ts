/**
 * The retention policies, one by one: which checkpoints of a task each selects. What is kept anyway is decided elsewhere.
 */
import type { CleanupConfig } from '../../config/types.ts';
import { phrase } from '../../phrase.ts';
import type { TaskStatus } from '../../task/status.ts';
import { thin } from './thin.ts';

export interface CleanupTask {
  readonly task: string;
  readonly status: TaskStatus;
  /** When it completed, failed or was cancelled; null for any other. */
  readonly finished_at: string | null;
  /** Whether a failed task is recoverable. Tasks that have not ended can always continue. */
  readonly resumable: boolean;
  /** What is freed in addition when none of its checkpoints is left: journal and blobs. */
  readonly bytes?: number;
  readonly checkpoints: readonly CleanupCheckpoint[];
}

export interface CleanupCheckpoint {
  readonly id: string;
  readonly sequence: number;
  readonly created_at: string;
  readonly bytes: number;
  /** False when it is known to be damaged: it is then not the last valid one. */
  readonly valid?: boolean;
  /** Ids of checkpoints, of any task, that it cannot be restored without. */
  readonly needs?: readonly string[];
  /** Always kept: a fork starts here, or a person asked for it. */
  readonly pinned?: boolean;
}

/** The names of the settings that select checkpoints. */
export type PolicyName =
  | 'remove_completed'
  | 'completed_days'
  | 'failed_days'
  | 'older_than_days'
  | 'newest_per_execution'
  | 'max_per_task'
  | 'quota_mb';

export interface Named {
  readonly task: string;
  readonly id: string;
  readonly sequence: number;
  readonly policy: PolicyName;
  /** The policy in words, as in "it is older than 14 days". */
  readonly why: string;
}

/** The checkpoints of a task that a policy other than the quota selects, each once, with the first such policy. */
export function nameByPolicy(task: CleanupTask, settings: CleanupConfig, now: Date): Named[] {
  const named: Named[] = [];
  let left = bySequence(task.checkpoints);
  for (const [policy, why, names] of POLICIES) {
    const gone = new Set(names({ ...task, checkpoints: left }, settings, now));
    for (const { id, sequence } of gone) {
      named.push({ task: task.task, id, sequence, policy, why: why(settings) });
    }
    left = left.filter((checkpoint) => !gone.has(checkpoint));
  }
  return named;
}

/** Whether the task may still run: it has not ended, or failed in a way that can be resumed, not too long ago. */
export function mayResume(task: CleanupTask, settings: CleanupConfig, now: Date): boolean {
  if (task.status === 'completed' || task.status === 'cancelled') return false;
  return task.status !== 'failed' || (task.resumable && !endedBefore(task, settings.failed_days, now));
}

export function bySequence(checkpoints: readonly CleanupCheckpoint[]): readonly CleanupCheckpoint[] {
  return checkpoints.toSorted((a, b) => a.sequence - b.sequence);
}

type Names = (task: CleanupTask, settings: CleanupConfig, now: Date) => readonly CleanupCheckpoint[];
type Policy = readonly [name: PolicyName, why: (settings: CleanupConfig) => string, names: Names];

const POLICIES: readonly Policy[] = [
  [
    'remove_completed',
    () => phrase`its task completed`,
    (task, { remove_completed }) => (remove_completed && task.status === 'completed' ? task.checkpoints : []),
  ],
  [
    'completed_days',
    ({ completed_days }) => phrase`its task ended ${completed_days} days ago or earlier`,
    (task, { completed_days }, now) =>
      isCalledOffOrDone(task) && endedBefore(task, completed_days, now) ? task.checkpoints : [],
  ],
  [
    'failed_days',
    ({ failed_days }) => phrase`its task failed ${failed_days} days ago or earlier`,
    (task, { failed_days }, now) =>
      task.status === 'failed' && endedBefore(task, failed_days, now) ? task.checkpoints : [],
  ],
  [
    'older_than_days',
    ({ older_than_days }) => phrase`it is older than ${older_than_days} days`,
    ({ checkpoints }, { older_than_days }, now) =>
      older_than_days === null
        ? []
        : checkpoints.filter(({ created_at }) => daysSince(created_at, now) > older_than_days),
  ],
  [
    'newest_per_execution',
    ({ newest_per_execution }) => phrase`it is not one of the newest ${newest_per_execution} of its task`,
    ({ checkpoints }, { newest_per_execution }) =>
      newest_per_execution === null
        ? []
        : checkpoints.slice(0, Math.max(0, checkpoints.length - newest_per_execution)),
  ],
  [
    'max_per_task',
    ({ max_per_task }) => phrase`its task has more than ${max_per_task}`,
    ({ checkpoints }, { max_per_task, sample_every }) => {
      const sequences = checkpoints.map(({ sequence }) => sequence);
      const gone = new Set(thin(sequences, max_per_task, sample_every));
      return checkpoints.filter(({ sequence }) => gone.has(sequence));
    },
  ],
];

/** A cancelled task is as final as a completed one, so it is kept as long. */
function isCalledOffOrDone({ status }: CleanupTask): boolean {
  return status === 'completed' || status === 'cancelled';
}

function endedBefore({ finished_at }: CleanupTask, days: number, now: Date): boolean {
  return finished_at !== null && daysSince(finished_at, now) >= days;
}

const DAY = 24 * 60 * 60 * 1000;

function daysSince(time: string, now: Date): number {
  return (now.getTime() - Date.parse(time)) / DAY;
}
