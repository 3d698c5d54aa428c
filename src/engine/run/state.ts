/** The state of a running task, and its transitions. */

import { stateRecord } from '../../persistence/state-records.ts';
import type { RecordWrite } from '../../storage/contract.ts';
import type { Clock } from '../../system/clock.ts';
import type { InProgressData, StateData, WaitingData } from '../../task/data.ts';
import type { TaskState } from '../../task/state.ts';
import type { TaskStatus } from '../../task/status.ts';
import { updateData } from '../../task/transition.ts';
import type { Emit } from '../api/events.ts';
import type { Runner } from '../api/runner.ts';
import { accumulated } from '../task/context-counts.ts';
import type { EntryOf } from '../task/entries.ts';
import type { Memory } from '../task/memory.ts';
import { announce, moveAlong } from '../task/transitions.ts';
import type { Answers } from './answers.ts';
import type { RunContext } from './run-context.ts';
import type { Operation, WriteOptions, Writer } from './writing.ts';

export interface RunState {
  state(): TaskState;
  /** The current agent and step. */
  current(): { readonly agent: string; readonly step: string | null };
  /** An operation is in progress from now on; `ended`: no longer. */
  began(operation: Operation): void;
  ended(id: string): void;
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

interface MoveOptions extends WriteOptions {
  /** The wait whose time-out the task fails with. */
  readonly wait?: string;
  readonly asked_by?: string | undefined;
  /** Who runs it, for the first time. */
  readonly by?: Runner;
}

export function createRunState(start: TaskState, memory: Memory, clock: Clock, emit: Emit): RunState {
  let state = awake(start);
  let current: { agent: string; step: string | null } = { agent: '', step: null };
  const startedAt = clock.now().toISOString();
  const operations = new Map<string, Operation>();

  const inProgress = (): InProgressData => ({
    current_agent: current.agent === '' ? null : current.agent,
    current_step: current.step,
    iteration_count: memory.iteration,
    started_at: startedAt,
    last_activity_at: clock.now().toISOString(),
    accumulated_context: accumulated(state.task_id, memory),
    under_way: [...operations.values().take(MOST_SHOWN)].map(({ id, name, agent, attempt, at }) => ({
      id,
      name,
      agent,
      attempt,
      started_at: at,
    })),
    progress: memory.progress.percent,
  });

  return {
    state: () => state,
    current: () => current,
    began: (operation) => {
      current = { agent: operation.agent, step: operation.name };
      operations.set(operation.id, operation);
    },
    ended: (id) => void operations.delete(id),
    inProgress,
    record: () => {
      if (state.status === 'in_progress') state = updateData(state, inProgress(), clock.now());
      return stateRecord(state);
    },
    async update(writer, data) {
      state = updateData(state, data, clock.now());
      await writer.write(null, { records: [stateRecord(state)] });
    },
    async move(writer, to, data, reason, { wait, by, asked_by, ...options } = {}) {
      const moved = moveAlong(state, [to], { data: () => data, reason: () => reason, now: clock.now() });
      state = moved.state;
      const entry = {
        ...moved.entries[0]!,
        ...(wait === undefined ? {} : { wait }),
        ...(by && { by }),
        ...(asked_by && { asked_by }),
      };
      await writer.write(entry, { ...options, records: [...(options.records ?? []), stateRecord(state)] });
      announce(emit, state, moved.entries);
    },
  };
}

/** Of what runs at the same time. */
const MOST_SHOWN = 50;

/** A run of it begins. */
function awake(state: TaskState): TaskState {
  if (state.status !== 'in_progress') return state;
  const { idle_since: _, under_way: __, ...data } = state.data;
  return { ...state, data };
}

/** A task that waits shows as waiting, for as long as any of its waits is open. */
type Waiting = Pick<RunContext, 'beginWaiting' | 'endWaiting' | 'answerTo'>;

export function createWaiting(
  runState: RunState,
  writer: Writer,
  answers: Answers,
  memory: Pick<Memory, 'progress'>,
): Waiting {
  const { waitingOn, alsoOn } = waitingData(() => memory.progress.percent);
  return {
    beginWaiting: async (wait) => {
      const shown = runState.state();
      if (shown.status !== 'waiting') {
        await runState.move(writer, 'waiting', waitingOn([wait]), wait.prompt, { event: 'wait' });
      } else await runState.update(writer, alsoOn(shown.data, wait));
      await writer.flush(); // The answering process reads the wait from the store.
    },
    endWaiting: async () => {
      if (runState.state().status !== 'waiting') return;
      const open = answers.open();
      if (open.length > 0) await runState.update(writer, waitingOn(open));
      else await runState.move(writer, 'in_progress', runState.inProgress(), 'answered');
    },
    answerTo: answers.to,
  };
}

/** The question is the oldest one; the time limit is the one that passes first. */
function waitingData(progress: () => number) {
  const waitingOn = (open: readonly EntryOf<'wait'>[]): WaitingData => ({
    waiting_for: open[0]!.kind,
    prompt_shown_to_user: open[0]!.prompt,
    timeout_at: open.map(({ timeout_at }) => timeout_at).reduce(earlier),
    waits: open.map(({ id, kind, prompt, timeout_at }) => ({ id, kind, prompt, timeout_at })),
    progress: progress(),
  });
  const alsoOn = (before: WaitingData, wait: EntryOf<'wait'>): Partial<WaitingData> => ({
    timeout_at: earlier(before.timeout_at, wait.timeout_at),
    waits: [...(before.waits ?? []), ...waitingOn([wait]).waits!],
  });
  return { waitingOn, alsoOn };
}

function earlier(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}
