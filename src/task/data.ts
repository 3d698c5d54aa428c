/** What each status keeps: the type, and next to it the schema that stored data is held to. */
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

export type TaskPriority = 'low' | 'normal' | 'high' | 'critical';
export type TaskComplexity = 'low' | 'medium' | 'high';

export interface QueuedData {
  /** The task's id, as on the state itself. */
  readonly task_id: string;
  /** When the task was first queued, as on the state itself; a retry keeps it. */
  readonly created_at: string;
  /** How soon it should run, compared with other tasks. */
  readonly priority: TaskPriority;
  /** How much work it looks like; null when not given. */
  readonly estimated_complexity: TaskComplexity | null;
  /** The request, unchanged. */
  readonly input_request: unknown;
}

const queued: z.ZodType<QueuedData> = z.strictObject({
  task_id: z.string().min(1),
  created_at: time,
  priority: z.enum(['low', 'normal', 'high', 'critical']),
  estimated_complexity: z.enum(['low', 'medium', 'high']).nullable(),
  input_request: z.unknown(),
});

export interface InProgressData {
  /** The agent that is running; null between agents. */
  readonly current_agent: string | null;
  /** The step that is running; null before the first and between steps. */
  readonly current_step: string | null;
  /** How many iterations have started. */
  readonly iteration_count: number;
  /** When this run started; resuming starts a new run. */
  readonly started_at: string;
  /** When it last did something. */
  readonly last_activity_at: string;
  /** How much context the agents have so far, and `reference`, with which `engine.loadContext` loads all of it. */
  readonly accumulated_context: unknown;
}

const inProgress: z.ZodType<InProgressData> = z.strictObject({
  current_agent: z.string().nullable(),
  current_step: z.string().nullable(),
  iteration_count: count,
  started_at: time,
  last_activity_at: time,
  accumulated_context: z.unknown(),
});

export interface PausedData {
  /** When it was paused. */
  readonly paused_at: string;
  /** Why, in the words of the person or process that paused it. */
  readonly pause_reason: string;
  /** Instructions for when it resumes; null when there are none. */
  readonly resume_instructions: string | null;
  /** The full state at the pause: what `in_progress` kept. */
  readonly snapshot: InProgressData;
}

const paused: z.ZodType<PausedData> = z.strictObject({
  paused_at: time,
  pause_reason: z.string(),
  resume_instructions: z.string().nullable(),
  snapshot: inProgress,
});

export interface WaitingData {
  /** What has to come from outside. */
  readonly waiting_for: 'user_input' | 'external_api' | 'human_approval';
  /** The question as the person sees it; null when no person is asked. */
  readonly prompt_shown_to_user: string | null;
  /** When the first of its open waits fails; null when they may last for ever. */
  readonly timeout_at: string | null;
}

const waiting: z.ZodType<WaitingData> = z.strictObject({
  waiting_for: z.enum(['user_input', 'external_api', 'human_approval']),
  prompt_shown_to_user: z.string().nullable(),
  timeout_at: time.nullable(),
});

export interface CompletedData {
  /** When it was done. */
  readonly completed_at: string;
  /** Its output. */
  readonly final_output: unknown;
  /** Paths of the files it changed, relative to the working directory. */
  readonly files_modified: readonly string[];
  /** What checked the result, and what the checks said. */
  readonly verification_results: unknown;
}

const completed: z.ZodType<CompletedData> = z.strictObject({
  completed_at: time,
  final_output: z.unknown(),
  files_modified: z.array(z.string()),
  verification_results: z.unknown(),
});

export interface FailedData {
  /** When it failed. */
  readonly failed_at: string;
  /** The name or code of the error. */
  readonly error_type: string;
  /** What the error says. */
  readonly error_message: string;
  /** Where it was thrown; null when that is not known. */
  readonly stack_trace: string | null;
  /** Whether trying again can help. */
  readonly recoverable: boolean;
  /** How often it has been retried before this failure. */
  readonly retry_count: number;
}

const failed: z.ZodType<FailedData> = z.strictObject({
  failed_at: time,
  error_type: z.string(),
  error_message: z.string(),
  stack_trace: z.string().nullable(),
  recoverable: z.boolean(),
  retry_count: count,
});

export interface CancelledData {
  /** When it was cancelled. */
  readonly cancelled_at: string;
  /** Why, in the words of the person or process that cancelled it. */
  readonly cancel_reason: string;
}

const cancelled: z.ZodType<CancelledData> = z.strictObject({
  cancelled_at: time,
  cancel_reason: z.string(),
});

export const STATE_DATA_SCHEMAS: { readonly [S in TaskStatus]: z.ZodType<StateData[S]> } = {
  queued,
  in_progress: inProgress,
  paused,
  waiting,
  completed,
  failed,
  cancelled,
};
