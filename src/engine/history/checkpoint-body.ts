/** What a checkpoint says of a task at one moment of its journal; pure. */
import type { CheckpointBody, CheckpointRecord } from '../../checkpoint/record/record.ts';
import type { TriggerDecision } from '../../checkpoint/triggers.ts';
import { requiredContext } from '../../checkpoint/validation/required-context.ts';
import type { Position } from '../../storage/contract.ts';
import { checkpointId } from '../../task/keys.ts';
import type { TaskStatus } from '../../task/status.ts';
import type { Memory } from '../task/memory.ts';
import type { Head } from '../task/records/head.ts';
import type { StoredError } from '../task/stored-error.ts';

/** The part that the journal tells. */
export interface Remembered {
  readonly iteration: number;
  readonly progress: Memory['progress'];
  readonly context: Memory['context'];
  /** Packed one by one. */
  readonly variables: Readonly<Record<string, unknown>>;
  readonly step: StepAt;
}

/** The rest: when, why and with which files it was made. */
export interface Moment extends TriggerDecision {
  readonly sequence: number;
  readonly at: string;
  readonly journal: Position;
  readonly status: TaskStatus;
  readonly agent: string;
  readonly file_changes: CheckpointRecord['file_changes'];
  readonly snapshot?: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly requires: Readonly<Record<string, string>>;
  /** Why the task failed; default: why the last step did. */
  readonly error?: { readonly name: string; readonly message: string } | undefined;
}

type Task = Pick<Head, 'task_id' | 'lineage' | 'working_dir'>;

export function checkpointBody(head: Task, remembered: Remembered, moment: Moment): CheckpointBody {
  const { iteration, progress, context, variables, step } = remembered;
  const { at, journal } = moment;
  const own = { task: head.task_id, seq: journal.seq };
  const journals = [...head.lineage.map(({ task, to }) => ({ task, seq: to })), own];
  return {
    version: '1.0',
    id: checkpointId(head.task_id, moment.sequence),
    task_id: head.task_id,
    execution_id: head.task_id,
    created_at: at,
    timestamp: at,
    sequence_number: moment.sequence,
    trigger: moment.trigger,
    priority: moment.priority,
    journal,
    state: {
      status: moment.status,
      current_agent: moment.agent === '' ? null : moment.agent,
      iteration,
      progress: progress.percent,
    },
    context,
    file_changes: moment.file_changes,
    ...(moment.snapshot === undefined ? {} : { snapshot: moment.snapshot }),
    recovery_info: {
      resume_point: step.id,
      required_context: requiredContext(journals, Object.keys(variables)),
      env_requirements: { ...moment.requires },
      working_dir: head.working_dir,
    },
    step_name: step.name,
    step_index: step.index,
    step_state: { progress },
    step_context: step.context ?? null,
    step_variables: { ...variables },
    step_status: step.status,
    error: moment.error ?? errorOf(step.error),
    metadata: { ...moment.metadata },
  };
}

interface StepAt {
  readonly id: string;
  readonly name: string | null;
  readonly index: number;
  readonly context: unknown;
  readonly status: 'success' | 'failed' | 'pending';
  readonly error: StoredError | null;
}

/** The step about to run, where the checkpoint is made before one; else the last that ended. */
export function stepAt({ begun, lastStep, stepIndex }: Memory, trigger: string): StepAt {
  const next = trigger.startsWith('before_') ? [...begun.values()].at(-1) : undefined;
  if (next) {
    const { id, name, index, context } = next;
    return { id, name, index, context, status: 'pending', error: null };
  }
  const index = stepIndex - 1;
  if (lastStep) return { ...lastStep, index };
  return { id: 'start', name: null, index, context: null, status: 'success', error: null };
}

export function rememberedBy(memory: Memory, trigger: string): Remembered {
  const { iteration, progress, context, variables } = memory;
  return {
    iteration,
    progress,
    context,
    variables: Object.fromEntries(variables),
    step: stepAt(memory, trigger),
  };
}

function errorOf(error: StoredError | null): CheckpointBody['error'] {
  if (!error) return null;
  const { name, message, code } = error;
  return { name, message, ...(code === undefined ? {} : { code }) };
}
