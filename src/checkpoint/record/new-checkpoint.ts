/** The body of a checkpoint that is made outside a running engine: given by the caller, the rest from the one before. */
import { InvalidInputError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Position } from '../../storage/contract.ts';
import { checkpointId } from '../../task/keys.ts';
import { type CheckpointBody, type CheckpointRecord, checkpointSchema } from './record.ts';

export interface NewCheckpoint {
  /** The task it belongs to. */
  readonly execution_id: string;
  readonly step_name?: string | null;
  /** Default: one more than that of the checkpoint before; the first is 0. */
  readonly step_index?: number;
  readonly step_status?: CheckpointBody['step_status'];
  readonly step_state?: unknown;
  readonly step_context?: unknown;
  readonly step_variables?: unknown;
  readonly error?: unknown;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly trigger?: string;
  readonly priority?: CheckpointBody['priority'];
  readonly state?: Partial<CheckpointBody['state']>;
  readonly file_changes?: Partial<CheckpointBody['file_changes']>;
  readonly recovery_info?: Partial<CheckpointBody['recovery_info']>;
}

interface CheckpointBase {
  readonly sequence: number;
  readonly at: string;
  readonly journal: Position;
  readonly context: CheckpointRecord['context'];
  readonly working_dir: string;
  /** The newest one before, if it can be read. */
  readonly before: CheckpointRecord | null;
}

export function newCheckpointBody(given: NewCheckpoint, base: CheckpointBase): CheckpointBody {
  const { sequence, at, before } = base;
  const task = given.execution_id;
  const step_name = given.step_name ?? null;
  return {
    version: '1.0',
    id: checkpointId(task, sequence),
    task_id: task,
    execution_id: task,
    created_at: at,
    timestamp: at,
    sequence_number: sequence,
    trigger: given.trigger ?? 'manual',
    priority: given.priority ?? 'normal',
    journal: base.journal,
    state: { ...(before?.state ?? FRESH), ...given.state },
    context: base.context,
    file_changes: { modified: [], created: [], deleted: [], ...given.file_changes },
    recovery_info: {
      resume_point: step_name ?? before?.recovery_info.resume_point ?? 'start',
      required_context: [],
      env_requirements: before?.recovery_info.env_requirements ?? {},
      working_dir: before?.recovery_info.working_dir ?? base.working_dir,
      ...given.recovery_info,
    },
    step_name,
    step_index: given.step_index ?? (before?.step_index ?? -1) + 1,
    step_state: given.step_state ?? null,
    step_context: given.step_context ?? null,
    step_variables: given.step_variables ?? {},
    step_status: given.step_status ?? 'success',
    error: given.error ?? null,
    metadata: { ...given.metadata },
  };
}

const MEMBERS: Readonly<Record<keyof NewCheckpoint, true>> = {
  execution_id: true,
  step_name: true,
  step_index: true,
  step_status: true,
  step_state: true,
  step_context: true,
  step_variables: true,
  error: true,
  metadata: true,
  trigger: true,
  priority: true,
  state: true,
  file_changes: true,
  recovery_info: true,
};
const bodySchema = checkpointSchema.omit({ checksum: true });

/** Refuses what would be lost, or could not be read again, before anything is written. */
export function checkNewCheckpoint(given: NewCheckpoint, body: CheckpointBody): void {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(MEMBERS, name));
  const issue = bodySchema.safeParse(body).error?.issues[0];
  if (unknown === undefined && issue === undefined) return;
  const where = unknown ?? issue!.path.join('.');
  throw new InvalidInputError('USAGE', phrase`A checkpoint cannot be made with this ${where}.`, {
    data: { execution_id: given.execution_id, member: where, why: issue?.message ?? null },
    hint: phrase`Give data of your own as step_state, step_context and step_variables.`,
  });
}

const FRESH: CheckpointBody['state'] = {
  status: 'in_progress',
  current_agent: null,
  iteration: 0,
  progress: 0,
};
