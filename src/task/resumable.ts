/** Which tasks can be resumed. Derived from the state and its surroundings, never stored. */
import type { TaskState } from './state.ts';

interface Surroundings {
  /** Whether the process that runs the task is alive and still owns it. */
  readonly ownerAlive: boolean;
  /** Whether what the task waits for has arrived. */
  readonly answered: boolean;
  readonly now: Date;
  /** Days after which a failed task has expired; default: 30. */
  readonly failedDays?: number;
}

export const FAILED_DAYS = 30;
const DAY = 24 * 60 * 60 * 1000;

export function isResumable(state: TaskState, around: Surroundings): boolean {
  switch (state.status) {
    case 'paused':
      return true;
    case 'failed':
      return state.data.recoverable && !isExpired(state, around.now, around.failedDays);
    case 'waiting':
      return around.answered || isOutOfTime(state, around.now);
    case 'in_progress':
      return !around.ownerAlive;
    case 'queued':
    case 'completed':
    case 'cancelled':
      return false;
  }
}

/** Whether a time limit of what the task waits for has passed; the next run of the task finds the wait timed out. */
export function isOutOfTime(state: TaskState, now: Date): boolean {
  if (state.status !== 'waiting' || state.data.timeout_at === null) return false;
  return now.getTime() >= Date.parse(state.data.timeout_at);
}

/** Whether the task failed so long ago that its checkpoints are no longer kept for it. */
export function isExpired(state: TaskState, now: Date, failedDays: number = FAILED_DAYS): boolean {
  return state.status === 'failed' && now.getTime() - Date.parse(state.data.failed_at) >= failedDays * DAY;
}
