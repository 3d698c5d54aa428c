/** The state of a running task, and its transitions. */

import { stateRecord } from '../../persistence/state-records.ts';
import type { RecordWrite } from '../../storage/contract.ts';
import type { Clock } from '../../system/clock.ts';
import type { InProgressData, StateData } from '../../task/data.ts';
import type { TaskState } from '../../task/state.ts';
import type { TaskStatus } from '../../task/status.ts';
import { updateData } from '../../task/transition.ts';
import type { Emit } from '../api/events.ts';
import { accumulated } from '../task/context-counts.ts';
import type { Memory } from '../task/memory.ts';
import { announce, moveAlong } from '../task/transitions.ts';
import type { WriteOptions, Writer } from './writer.ts';

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
  let state = start;
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
