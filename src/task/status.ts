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

/** What the word for its status follows from. */
export interface StatusFacts {
  readonly status: TaskStatus;
  /** Who runs it now. */
  readonly holder: string | null;
  readonly idle: boolean;
  readonly interrupted: boolean;
  readonly expired: boolean;
  readonly timed_out: boolean;
}

/** As people are told it: what the store says, or what became of the task since. */
export const SHOWN_STATUSES = [
  ...Object.values(TaskStatus),
  ...(['interrupted', 'idle', 'expired', 'timed_out'] as const),
];

export function statusFacts({
  status,
  holder,
  idle,
  interrupted,
  expired,
  timed_out,
}: StatusFacts): StatusFacts {
  return { status, holder, idle, interrupted, expired, timed_out };
}

export function shownStatus({
  status,
  idle,
  interrupted,
  expired,
  timed_out,
}: StatusFacts): (typeof SHOWN_STATUSES)[number] {
  if (idle) return 'idle';
  if (interrupted) return 'interrupted';
  if (expired) return 'expired';
  return timed_out ? 'timed_out' : status;
}
