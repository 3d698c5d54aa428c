/** What each status keeps: the schema that stored data is held to, and its type. */
import * as z from 'zod';
import type { TaskStatus } from './status.ts';

/** The data of a task by its status. */
export interface StateData {
  queued: QueuedData;
  in_progress: InProgressData;
  paused: PausedData;
  waiting: WaitingData;
  completed: CompletedData;
  failed: FailedData;
  cancelled: CancelledData;
}

const time = z.iso.datetime();
const count = z.int().min(0);
const percent = z.number().min(0).max(100);

const queued = z.strictObject({
  /** The task's id, as on the state itself. */
  task_id: z.string().min(1),
  /** When the task was first queued, as on the state itself; a retry keeps it. */
  created_at: time,
  /** How soon it should run, compared with other tasks. */
  priority: z.enum(['low', 'normal', 'high', 'critical']),
  /** How much work it looks like; null when not given. */
  estimated_complexity: z.enum(['low', 'medium', 'high']).nullable(),
  /** The request, unchanged. */
  input_request: z.unknown(),
});
export type QueuedData = Readonly<z.infer<typeof queued>>;
export type TaskPriority = QueuedData['priority'];
export type TaskComplexity = NonNullable<QueuedData['estimated_complexity']>;

const operationInProgress = z.strictObject({
  /** The id of the step or the call. */
  id: z.string(),
  name: z.string(),
  agent: z.string(),
  attempt: count,
  started_at: time,
});
type OperationInProgress = Readonly<z.infer<typeof operationInProgress>>;

const inProgress = z.strictObject({
  /** The agent that is running; null between agents. */
  current_agent: z.string().nullable(),
  /** The step that is running; null before the first and between steps. */
  current_step: z.string().nullable(),
  /** How many iterations have started. */
  iteration_count: count,
  /** When this run started; resuming starts a new run. */
  started_at: time,
  /** When it last did something. */
  last_activity_at: time,
  /** How much context the agents have so far, and `reference`, with which `engine.loadContext` loads all of it. */
  accumulated_context: z.unknown(),
  /** Set between two turns of an agent that runs elsewhere. */
  idle_since: time.optional(),
  /** What is in progress, in the order in which it began; up to a second old. After an interruption: what was. */
  under_way: (z.array(operationInProgress) as z.ZodType<readonly OperationInProgress[]>).optional(),
  /** In per cent, as the task says. */
  progress: percent.optional(),
});
export type InProgressData = Readonly<z.infer<typeof inProgress>>;

const paused = z.strictObject({
  /** When it was paused. */
  paused_at: time,
  /** Why, in the words of the person or process that paused it. */
  pause_reason: z.string(),
  /** Instructions for when it resumes; null when there are none. */
  resume_instructions: z.string().nullable(),
  /** The full state at the pause: what `in_progress` kept. */
  snapshot: inProgress,
  /** Set if it was paused because of drift, which is checked again before the task resumes. */
  cause: z.literal('drift').optional(),
});
type PausedData = Readonly<z.infer<typeof paused>>;

const waitFor = z.enum(['user_input', 'external_api', 'human_approval']);

const openWait = z.strictObject({
  /** What `answer` calls it. */
  id: z.string(),
  kind: waitFor,
  prompt: z.string().nullable(),
  timeout_at: time.nullable(),
});
type OpenWait = Readonly<z.infer<typeof openWait>>;

const waiting = z.strictObject({
  /** What has to come from outside. */
  waiting_for: waitFor,
  /** The question as the person sees it; null when no person is asked. */
  prompt_shown_to_user: z.string().nullable(),
  /** When the first of its open waits fails; null when they may last for ever. */
  timeout_at: time.nullable(),
  /** Everything that it waits for, oldest first. */
  waits: (z.array(openWait) as z.ZodType<readonly OpenWait[]>).optional(),
  /** In per cent, as the task said. */
  progress: percent.optional(),
});
export type WaitingData = Readonly<z.infer<typeof waiting>>;

const completed = z.strictObject({
  /** When it was done. */
  completed_at: time,
  /** Its output. */
  final_output: z.unknown(),
  /** Paths of the files it changed, relative to the working directory. */
  files_modified: z.array(z.string()) as z.ZodType<readonly string[]>,
  /** What checked the result, and what the checks said. */
  verification_results: z.unknown(),
});
type CompletedData = Readonly<z.infer<typeof completed>>;

const failed = z.strictObject({
  /** When it failed. */
  failed_at: time,
  /** The name or code of the error. */
  error_type: z.string(),
  /** What the error says. */
  error_message: z.string(),
  /** Where it was thrown; null when that is not known. */
  stack_trace: z.string().nullable(),
  /** Whether trying again can help. */
  recoverable: z.boolean(),
  /** How often it has been retried before this failure. */
  retry_count: count,
});
type FailedData = Readonly<z.infer<typeof failed>>;

const cancelled = z.strictObject({
  /** When it was cancelled. */
  cancelled_at: time,
  /** Why, in the words of the person or process that cancelled it. */
  cancel_reason: z.string(),
});
type CancelledData = Readonly<z.infer<typeof cancelled>>;

export const STATE_DATA_SCHEMAS: { readonly [S in TaskStatus]: z.ZodType<StateData[S]> } = {
  queued,
  in_progress: inProgress,
  paused,
  waiting,
  completed,
  failed,
  cancelled,
};
