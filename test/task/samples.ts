/** States and data to test with: one of each, and generators of many. */
import fc from 'fast-check';
import type { StateData } from '../../src/task/data.ts';
import { STATE_VERSION, type TaskState } from '../../src/task/state.ts';
import { TaskStatus } from '../../src/task/status.ts';

export const STATUSES: readonly TaskStatus[] = Object.values(TaskStatus);
export const TASK_ID = 't01k00000000000000000000000';
export const CREATED = '2026-11-02T10:00:00.000Z';

const time = fc
  .date({ min: new Date('2000-01-01T00:00:00Z'), max: new Date('2100-01-01T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString());
const maybeText = fc.option(fc.string());
const anything = fc.oneof(fc.jsonValue(), fc.date({ noInvalidDate: true }), fc.bigInt());

const inProgress = fc.record({
  current_agent: maybeText,
  current_step: maybeText,
  iteration_count: fc.nat(),
  started_at: time,
  last_activity_at: time,
  accumulated_context: anything,
});

export const anyData: { readonly [S in TaskStatus]: fc.Arbitrary<StateData[S]> } = {
  queued: fc.record({
    task_id: fc.constant(TASK_ID),
    created_at: fc.constant(CREATED),
    priority: fc.constantFrom('low', 'normal', 'high', 'critical'),
    estimated_complexity: fc.constantFrom('low', 'medium', 'high', null),
    input_request: anything,
  }),
  in_progress: inProgress,
  paused: fc.record(
    {
      paused_at: time,
      pause_reason: fc.string(),
      resume_instructions: maybeText,
      snapshot: inProgress,
      cause: fc.constant('drift' as const),
    },
    { requiredKeys: ['paused_at', 'pause_reason', 'resume_instructions', 'snapshot'] },
  ),
  waiting: fc.record({
    waiting_for: fc.constantFrom('user_input', 'external_api', 'human_approval'),
    prompt_shown_to_user: maybeText,
    timeout_at: fc.option(time),
  }),
  completed: fc.record({
    completed_at: time,
    final_output: anything,
    files_modified: fc.array(fc.string()),
    verification_results: anything,
  }),
  failed: fc.record({
    failed_at: time,
    error_type: fc.string(),
    error_message: fc.string(),
    stack_trace: maybeText,
    recoverable: fc.boolean(),
    retry_count: fc.nat(),
  }),
  cancelled: fc.record({ cancelled_at: time, cancel_reason: fc.string() }),
};

export const anyState: fc.Arbitrary<TaskState> = fc
  .constantFrom(...STATUSES)
  .chain((status) => (anyData[status] as fc.Arbitrary<never>).map((data) => stateWith(status, data)));

/** A state of this status, with data that fits unless other data is given. */
export function stateWith<S extends TaskStatus>(
  status: S,
  data: StateData[S] = dataOf(status),
): TaskState<S> {
  return {
    version: STATE_VERSION,
    task_id: TASK_ID,
    task_name: 'Fix the date test',
    status,
    created_at: CREATED,
    updated_at: '2026-11-02T10:05:00.000Z',
    data,
  } as TaskState<S>;
}

export function dataOf<S extends TaskStatus>(status: S): StateData[S] {
  return fc.sample(anyData[status] as fc.Arbitrary<StateData[S]>, { numRuns: 1, seed: 1 })[0]!;
}
