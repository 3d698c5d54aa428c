/** The state of a running task, and its transitions. */

import { stateRecord } from '../../persistence/state-records.ts';
import type { RecordWrite } from '../../storage/contract.ts';
import type { Clock } from '../../system/clock.ts';
import type { InProgressData, StateData, WaitingData } from '../../task/data.ts';
import type { TaskState } from '../../task/state.ts';
import type { TaskStatus } from '../../task/status.ts';
import { updateData } from '../../task/transition.ts';
import type { Emit } from '../api/events.ts';
import { accumulated } from '../task/context-counts.ts';
import type { EntryOf } from '../task/entries.ts';
import type { Memory } from '../task/memory.ts';
import { announce, moveAlong } from '../task/transitions.ts';
import type { Answers } from './answers.ts';
import type { RunContext } from './run-context.ts';
import type { WriteOptions, Writer } from './writing.ts';

export interface RunState {
  state(): TaskState;
  /** The current agent and step. */
  current(): { readonly agent: string; readonly step: string | null };
  show(current: { agent: string; step: string | null }): void;
  /** What `in_progress` keeps, as of now. */
  inProgress(): InProgressData;
  /** The state as of now, to be written. */
  record(): RecordWrite;
  /** The same status with newer data. */
  update(writer: Writer, data: Partial<StateData[TaskStatus]>): Promise<void>;
  move<S extends TaskStatus>(
    writer: Writer,
    to: S,
    data: StateData[S],
    reason: string | null,
    options?: MoveOptions,
  ): Promise<void>;
}

export interface MoveOptions extends WriteOptions {
  /** The wait whose time-out the task fails with. */
  readonly wait?: string;
}

export function createRunState(start: TaskState, memory: Memory, clock: Clock, emit: Emit): RunState {
  let state = awake(start);
  let current: { agent: string; step: string | null } = { agent: '', step: null };
  const startedAt = clock.now().toISOString();

  const inProgress = (): InProgressData => ({
    current_agent: current.agent === '' ? null : current.agent,
    current_step: current.step,
    iteration_count: memory.iteration,
    started_at: startedAt,
    last_activity_at: clock.now().toISOString(),
    accumulated_context: accumulated(state.task_id, memory),
  });

  return {
    state: () => state,
    current: () => current,
    show: (next) => {
      current = next;
    },
    inProgress,
    record: () => {
      if (state.status === 'in_progress') state = updateData(state, inProgress(), clock.now());
      return stateRecord(state);
    },
    async update(writer, data) {
      state = updateData(state, data, clock.now());
      await writer.write(null, { records: [stateRecord(state)] });
    },
    async move(writer, to, data, reason, { wait, ...options } = {}) {
      const moved = moveAlong(state, [to], { data: () => data, reason: () => reason, now: clock.now() });
      state = moved.state;
      const entry = { ...moved.entries[0]!, ...(wait === undefined ? {} : { wait }) };
      await writer.write(entry, { ...options, records: [...(options.records ?? []), stateRecord(state)] });
      announce(emit, state, moved.entries);
    },
  };
}

/** A run of it begins. */
function awake(state: TaskState): TaskState {
  if (state.status !== 'in_progress') return state;
  const { idle_since: _, ...data } = state.data;
  return { ...state, data };
}

/** A task that waits shows as waiting, for as long as any of its waits is open. */
export type Waiting = Pick<RunContext, 'beginWaiting' | 'endWaiting' | 'answerTo'>;

export function createWaiting(standing: RunState, writer: Writer, answers: Answers): Waiting {
  return {
    beginWaiting: async (wait) => {
      const shown = standing.state();
      if (shown.status !== 'waiting') {
        await standing.move(writer, 'waiting', waitingData(wait), wait.prompt, { event: 'wait' });
      } else await standing.update(writer, { timeout_at: earlier(shown.data.timeout_at, wait.timeout_at) });
      await writer.flush(); // The answering process reads the wait from the store.
    },
    endWaiting: async () => {
      if (standing.state().status !== 'waiting') return;
      const [next, ...others] = answers.open();
      if (next) await standing.update(writer, waitingData(next, others));
      else await standing.move(writer, 'in_progress', standing.inProgress(), 'answered');
    },
    answerTo: answers.to,
  };
}

/** The question is the oldest one; the time limit is the one that passes first. */
function waitingData(oldest: EntryOf<'wait'>, others: readonly EntryOf<'wait'>[] = []): WaitingData {
  const timeout_at = others.reduce((first, other) => earlier(first, other.timeout_at), oldest.timeout_at);
  return { waiting_for: oldest.kind, prompt_shown_to_user: oldest.prompt, timeout_at };
}

function earlier(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}
