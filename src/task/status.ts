/** The statuses of a task, and the transitions between them. */
export const TaskStatus = {
  /** Waiting to run. */
  QUEUED: 'queued',
  /** Running, or left behind by a runner that died. */
  IN_PROGRESS: 'in_progress',
  /** Stopped by a person. */
  PAUSED: 'paused',
  /** Waiting for something from outside. */
  WAITING: 'waiting',
  /** Done. Final. */
  COMPLETED: 'completed',
  /** Failed. */
  FAILED: 'failed',
  /** Cancelled. Final. */
  CANCELLED: 'cancelled',
} as const;

export type TaskStatus = (typeof TaskStatus)[keyof typeof TaskStatus];

export const STATE_TRANSITIONS: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = Object.freeze({
  queued: Object.freeze(['in_progress', 'cancelled'] as const),
  in_progress: Object.freeze(['paused', 'waiting', 'completed', 'failed'] as const),
  paused: Object.freeze(['in_progress', 'cancelled'] as const),
  waiting: Object.freeze(['in_progress', 'cancelled', 'failed'] as const),
  completed: Object.freeze([] as const),
  failed: Object.freeze(['queued'] as const),
  cancelled: Object.freeze([] as const),
});

export function canTransition(from: TaskStatus, to: TaskStatus): boolean {
  return STATE_TRANSITIONS[from].includes(to);
}

/** Whether no transition leads out of it. */
export function isFinal(status: TaskStatus): boolean {
  return STATE_TRANSITIONS[status].length === 0;
}
