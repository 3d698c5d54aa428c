/** The transitions of a task: pure functions from one state to the next. */
import { IllegalTransitionError } from '../errors.ts';
import { phrase } from '../phrase.ts';
import type { QueuedData, StateData } from './data.ts';
import { parseState, STATE_VERSION, type TaskState } from './state.ts';
import { canTransition, isFinal, STATE_TRANSITIONS, type TaskStatus } from './status.ts';

interface NewTask extends Pick<QueuedData, 'input_request'>, Partial<Pick<QueuedData, Estimates>> {
  readonly task_id: string;
  readonly task_name: string;
}
type Estimates = 'priority' | 'estimated_complexity';

/** The first state of every task. */
export function queueTask(task: NewTask, now: Date): TaskState<'queued'> {
  const at = now.toISOString();
  const { task_id, task_name, input_request, priority = 'normal', estimated_complexity = null } = task;
  const data = { task_id, created_at: at, priority, estimated_complexity, input_request };
  return build({ task_id, task_name, created_at: at, updated_at: at }, 'queued', data, now);
}

/**
 * The state after the transition. ILLEGAL_TRANSITION when the table does not have it, INVALID_STATE when the data does not
 * fit the new status.
 */
export function transition<S extends TaskStatus>(
  state: TaskState,
  to: S,
  data: StateData[S],
  now: Date,
): TaskState<S> {
  if (!canTransition(state.status, to)) throw illegal(state, to);
  return build(state, to, data, now);
}

/** The same status with newer data, such as the next step. Final states stay as they are. */
export function updateData<S extends TaskStatus>(
  state: TaskState<S>,
  changes: Partial<StateData[S]>,
  now: Date,
): TaskState<S> {
  const { status, data } = state as TaskState;
  if (isFinal(status)) throw illegal(state as TaskState, status);
  return build(state as TaskState, status as S, { ...data, ...changes } as StateData[S], now);
}

type Envelope = Pick<TaskState, 'task_id' | 'task_name' | 'created_at' | 'updated_at'>;

function build<S extends TaskStatus>(of: Envelope, status: S, data: StateData[S], now: Date): TaskState<S> {
  const updated = Math.max(Date.parse(of.updated_at), now.getTime());
  const state = parseState({
    version: STATE_VERSION,
    task_id: of.task_id,
    task_name: of.task_name,
    status,
    created_at: of.created_at,
    updated_at: new Date(updated).toISOString(),
    data,
  });
  return state as TaskState<S>;
}

function illegal(state: TaskState, to: TaskStatus): IllegalTransitionError {
  const { task_id, task_name, status } = state;
  const allowed = STATE_TRANSITIONS[status];
  return new IllegalTransitionError(sentence(state, to), {
    data: { task_id, task_name, status, asked: to, allowed },
    hint: hintFor(status, to),
  });
}

function sentence({ task_name: name, task_id: id, status }: TaskState, to: TaskStatus): string {
  const allowed = STATE_TRANSITIONS[status].join(', ');
  if (isFinal(status)) return phrase`Task "${name}" (${id}) is ${status}, and that is final.`;
  if (status === to)
    return phrase`Task "${name}" (${id}) is already ${status}. It can now become: ${allowed}.`;
  return phrase`Task "${name}" (${id}) is ${status}, and cannot become ${to}. It can now become: ${allowed}.`;
}

function hintFor(status: TaskStatus, to: TaskStatus): string {
  if (isFinal(status)) return phrase`Fork the task from one of its checkpoints instead.`;
  if (status === 'in_progress' && to === 'cancelled') return phrase`Pause the task first, then cancel it.`;
  if (status === 'failed' && to === 'in_progress')
    return phrase`Queue it again first: a retry goes through queued.`;
  if (to === 'paused') return phrase`It is not running: there is nothing to pause.`;
  return phrase`docs/reference/states.md shows which transitions lead there.`;
}
