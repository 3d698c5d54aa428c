/** How a task gets from one status to another, with what is stored on the way: the state, and an entry per transition. Pure. */
import type { InProgressData, QueuedData, StateData } from '../../task/data.ts';
import type { TaskState } from '../../task/state.ts';
import { isFinal, STATE_TRANSITIONS, type TaskStatus } from '../../task/status.ts';
import { transition } from '../../task/transition.ts';
import type { Emit } from '../api/events.ts';
import { accumulated } from './context-counts.ts';
import type { EntryOf } from './entries.ts';
import type { Memory } from './memory.ts';

export interface Moved {
  readonly state: TaskState;
  readonly entries: readonly Transition[];
}
type Transition = EntryOf<'status'> & { readonly from: TaskStatus; readonly to: TaskStatus };

/** The data of each status on the way. */
interface Along {
  readonly data: (to: TaskStatus) => StateData[TaskStatus];
  readonly reason: (to: TaskStatus) => string | null;
  readonly now: Date;
}

/** ILLEGAL_TRANSITION where one of them is. */
export function moveAlong(start: TaskState, way: readonly TaskStatus[], { data, reason, now }: Along): Moved {
  let state = start;
  const entries = way.map((to): Transition => {
    const from = state.status;
    state = transition(state, to, data(to) as never, now);
    return { t: 'status', at: now.toISOString(), from, to, reason: reason(to) };
  });
  return { state, entries };
}

/**
 * The shortest path of legal transitions, the first listed if several are as short; the illegal transition if there is none.
 */
export function wayTo(from: TaskStatus, to: TaskStatus): readonly TaskStatus[] {
  const ways: TaskStatus[][] = [[]];
  const seen = new Set([from]);
  for (const way of ways) {
    const at = way.at(-1) ?? from;
    if (at === to) return way;
    for (const next of STATE_TRANSITIONS[at]) {
      if (!seen.has(next)) ways.push([...way, next]);
      seen.add(next);
    }
  }
  return [to];
}

/** Emits the events, once it is written. */
export function announce(
  emit: Emit,
  { task_id: task, task_name }: Pick<TaskState, 'task_id' | 'task_name'>,
  entries: readonly Transition[],
): void {
  for (const { from, to, reason } of entries)
    emit({ type: 'task.status', task, task_name, from, to, reason });
}

/** In progress at the end of its memory. */
export function toInProgress(
  start: TaskState,
  memory: Memory,
  input: unknown,
  reason: string | null,
  now: Date,
): Moved {
  return fromMemory(start, wayTo(start.status, 'in_progress'), memory, input, reason, now);
}

/** Paused at the end of its memory. */
export function toPaused(start: TaskState, memory: Memory, input: unknown, reason: string, now: Date): Moved {
  const way = isFinal(start.status) ? [] : [...wayTo(start.status, 'in_progress'), 'paused' as const];
  return fromMemory(start, way, memory, input, reason, now);
}

function fromMemory(
  start: TaskState,
  way: readonly TaskStatus[],
  memory: Memory,
  input: unknown,
  reason: string | null,
  now: Date,
): Moved {
  const at = now.toISOString();
  const in_progress: InProgressData = {
    current_agent: null,
    current_step: memory.lastStep?.name ?? null,
    iteration_count: memory.iteration,
    started_at: at,
    last_activity_at: at,
    accumulated_context: accumulated(start.task_id, memory),
  };
  const data = {
    queued: queuedAgain(start, input),
    in_progress,
    paused: pausedData(in_progress, reason ?? '', at),
  };
  return moveAlong(start, way, { data: (to) => data[to as keyof typeof data], reason: () => reason, now });
}

/** What `queued` keeps of a task that was in another status. */
export function queuedAgain({ task_id, created_at }: TaskState, input_request: unknown): QueuedData {
  return { task_id, created_at, priority: 'normal', estimated_complexity: null, input_request };
}

export function pausedData(
  snapshot: InProgressData,
  reason: string,
  at: string,
  { instructions = null, cause }: { instructions?: string | null; cause?: 'drift' } = {},
): StateData['paused'] {
  const paused = { paused_at: at, pause_reason: reason, resume_instructions: instructions, snapshot };
  return cause ? { ...paused, cause } : paused;
}
