/**
 * A checkpoint is a position in a task's journal, with what is needed to resume from there. The stored record holds the
 * position and counts; `Checkpoint` is the same with its context read from the journal.
 */
import { hash } from 'node:crypto';
import * as z from 'zod';
import { CorruptError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { encode } from '../../storage/serialize.ts';
import type { TaskStatus } from '../../task/status.ts';

export interface Message {
  readonly role: 'user' | 'assistant' | 'system' | 'tool' | 'summary';
  readonly content: unknown;
  /** ISO 8601; set when it is recorded. */
  readonly at?: string;
  /** The agent it belongs to; the task itself when absent. */
  readonly agent?: string;
}

export interface ToolOutput {
  readonly tool: string;
  readonly input?: unknown;
  readonly output: unknown;
  /** `unknown`: it was in progress when the process died. */
  readonly status: 'success' | 'error' | 'unknown';
  readonly at?: string;
  readonly duration_ms?: number;
  readonly agent?: string;
}

export interface Decision {
  readonly what: string;
  readonly why?: string;
  readonly alternatives?: readonly string[];
  readonly at?: string;
  readonly agent?: string;
}

export interface FileChange {
  readonly path: string;
  /** SHA-256 of the content, for a link of where it leads; null where there was nothing. */
  readonly hash_before: string | null;
  readonly hash_after: string | null;
  /** Permission bits, as in `0644`, where they changed. */
  readonly mode_before?: string | undefined;
  readonly mode_after?: string | undefined;
  /** Who changed it, as far as it is known. */
  readonly by: 'step' | 'tool' | 'shell' | 'outside' | 'unknown';
}

export interface CheckpointContext {
  readonly messages: readonly Message[];
  readonly tool_outputs: readonly ToolOutput[];
  readonly decisions: readonly Decision[];
}

export type CheckpointTrigger =
  | 'start'
  | 'after_step'
  | 'after_subagent'
  | 'before_shell_command'
  | 'before_file_change'
  | 'before_external_api'
  | 'before_turn'
  | 'after_user_input'
  | 'after_file_change'
  | 'interval'
  | 'context_growth'
  | 'manual'
  | 'pause'
  | 'wait'
  | 'end'
  | 'rollback'
  | 'fork';

const time = z.iso.datetime();
const count = z.int().min(0);
const position = z.strictObject({ seq: count, hash: z.string().regex(/^[0-9a-f]{64}$/) });
const fileChange = z.strictObject({
  path: z.string(),
  hash_before: z.string().nullable(),
  hash_after: z.string().nullable(),
  mode_before: z.string().optional(),
  mode_after: z.string().optional(),
  by: z.enum(['step', 'tool', 'shell', 'outside', 'unknown']),
});

/** What is stored at `tasks/{task_id}/checkpoints/{timestamp}`; SPEC's fields keep their names. */
const storedFields = {
  version: z.literal('1.0'),
  /** `ckpt-{task_id}-{sequence_number}` */
  id: z.string(),
  task_id: z.string(),
  /** The task's id, under the name executions know it by. */
  execution_id: z.string(),
  created_at: time,
  timestamp: time,
  sequence_number: count,
  /** Why it was made, and how much it matters. */
  trigger: z.string(),
  priority: z.enum(['normal', 'high', 'critical']),
  /** Its position in the journal. */
  journal: position,
  state: z.strictObject({
    status: z.enum(['queued', 'in_progress', 'paused', 'waiting', 'completed', 'failed', 'cancelled']),
    current_agent: z.string().nullable(),
    iteration: count,
    progress: z.number().min(0).max(100),
  }),
  /** How much context the journal holds up to here. */
  context: z.strictObject({ messages: count, tool_outputs: count, decisions: count, bytes: count }),
  file_changes: z.strictObject({
    modified: z.array(fileChange),
    created: z.array(z.string()),
    deleted: z.array(z.string()),
    /** The same of those that were created and deleted, where it is known. */
    details: z.array(fileChange).optional(),
  }),
  /** All files as they were, where there is a workspace. */
  snapshot: z.string().optional(),
  recovery_info: z.strictObject({
    /** The identity of the step to resume with or after. */
    resume_point: z.string(),
    required_context: z.array(z.string()),
    env_requirements: z.record(z.string(), z.string()),
    working_dir: z.string(),
  }),
  step_name: z.string().nullable(),
  step_index: z.int().min(-1),
  step_state: z.unknown(),
  step_context: z.unknown(),
  step_variables: z.unknown(),
  step_status: z.enum(['success', 'failed', 'pending']),
  error: z.unknown(),
  metadata: z.record(z.string(), z.unknown()),
};

export const checkpointSchema = z.strictObject({ ...storedFields, checksum: z.string() });

/** The record as it is stored. */
export type CheckpointRecord = z.infer<typeof checkpointSchema>;
export type CheckpointBody = Omit<CheckpointRecord, 'checksum'>;

/** The record with its context: what `CheckpointManager.loadCheckpoint` gives. */
export interface Checkpoint extends Omit<CheckpointRecord, 'context' | 'state'> {
  readonly state: {
    readonly status: TaskStatus;
    readonly current_agent: string | null;
    readonly iteration: number;
    readonly progress: number;
  };
  readonly context: CheckpointContext;
}

export const NO_CHANGES: CheckpointRecord['file_changes'] = { modified: [], created: [], deleted: [] };

/** Adds the checksum: SHA-256 over the encoded rest. */
export function sealCheckpoint(body: CheckpointBody): CheckpointRecord {
  return { ...body, checksum: checksumOf(body) };
}

export function checksumOf(body: object): string {
  return hash('sha256', encode(body));
}

/** The stored value, if it is a valid checkpoint whose checksum matches; CORRUPT says what is wrong. */
export function openCheckpoint(stored: unknown): CheckpointRecord {
  const parsed = checkpointSchema.safeParse(stored);
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    throw corrupt(
      stored,
      issue.path.length > 0 ? `${issue.path.join('.')}: ${issue.message}` : issue.message,
    );
  }
  // The value as it was stored, not as it was parsed, here and in the answer: the checksum covers its members in order.
  const { checksum, ...body } = stored as CheckpointRecord;
  if (checksumOf(body) !== checksum) throw corrupt(stored, phrase`its checksum does not match`);
  return stored as CheckpointRecord;
}

function corrupt(stored: unknown, why: string): CorruptError {
  const id = (stored as { id?: unknown } | null)?.id;
  return new CorruptError(
    typeof id === 'string'
      ? phrase`The checkpoint ${id} is damaged: ${why}.`
      : phrase`A checkpoint is damaged: ${why}.`,
    {
      data: { id: id ?? null, why },
      hint: phrase`Recovery falls back to the checkpoint before it.`,
    },
  );
}
