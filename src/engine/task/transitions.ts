/** Moving a task that nobody runs, by the legal transitions; pure. */
import type { InProgressData, QueuedData, StateData } from '../../task/data.ts';
import type { TaskState } from '../../task/state.ts';
import { isFinal, type TaskStatus } from '../../task/status.ts';
import { transition } from '../../task/transition.ts';
import type { Emit } from '../api/events.ts';
import { accumulated } from './context-counts.ts';
import type { EntryOf } from './entries.ts';
import type { Memory } from './memory.ts';
import type { Head } from './records/head.ts';

export interface Moved {
  readonly state: TaskState;
  readonly entries: readonly Move[];
}
type Move = EntryOf<'status'> & { readonly from: TaskStatus; readonly to: TaskStatus };

/** For whoever watches, once it is written. */
export function announce(emit: Emit, { task_id: task, task_name }: Head, { entries }: Moved): void {
  for (const { from, to, reason } of entries)
    emit({ type: 'task.status', task, task_name, from, to, reason });
}

type Along = 'queued' | 'in_progress' | 'paused';

/** On which way each status leads to `in_progress`; the final ones on none. */
const TO_IN_PROGRESS: Readonly<Record<TaskStatus, readonly Along[]>> = {
  queued: ['in_progress'],
  in_progress: [],
  paused: ['in_progress'],
  waiting: ['in_progress'],
  failed: ['queued', 'in_progress'],
  completed: [],
  cancelled: [],
};

/** Under way where its memory ends. */
export function toInProgress(
  start: TaskState,
  memory: Memory,
  input: unknown,
  reason: string | null,
  now: Date,
): Moved {
  return moveAlong(TO_IN_PROGRESS[start.status], start, memory, input, reason, now);
}

/** Paused where its memory ends. */
export function toPaused(start: TaskState, memory: Memory, input: unknown, reason: string, now: Date): Moved {
  const way = isFinal(start.status) ? [] : ([...TO_IN_PROGRESS[start.status], 'paused'] as const);
  return moveAlong(way, start, memory, input, reason, now);
}

/** What `queued` keeps of a task that was in another status. */
export function queuedAgain({ task_id, created_at }: TaskState, input_request: unknown): QueuedData {
  return { task_id, created_at, priority: 'normal', estimated_complexity: null, input_request };
}

function moveAlong(
  way: readonly Along[],
  start: TaskState,
  memory: Memory,
  input_request: unknown,
  reason: string | null,
  now: Date,
): Moved {
  const at = now.toISOString();
  const queued = queuedAgain(start, input_request);
  const in_progress: InProgressData = {
    current_agent: null,
    current_step: memory.lastStep?.name ?? null,
    iteration_count: memory.iteration,
    started_at: at,
    last_activity_at: at,
    accumulated_context: accumulated(start.task_id, memory),
  };
  const paused = {
    paused_at: at,
    pause_reason: reason ?? '',
    resume_instructions: null,
    snapshot: in_progress,
  };
  const data: Pick<StateData, Along> = { queued, in_progress, paused };
  let state = start;
  const entries = way.map((to): Move => {
    const from = state.status;
    state = transition(state, to, data[to], now) as TaskState;
    return { t: 'status', at, from, to, reason };
  });
  return { state, entries };
}
