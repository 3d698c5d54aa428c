/** The checkpoint record of a running task; pure. */
import { type CheckpointBody, type CheckpointRecord, checkpointId } from '../../checkpoint/record/record.ts';
import type { TriggerDecision } from '../../checkpoint/triggers.ts';
import { requiredContext } from '../../checkpoint/validation/required-context.ts';
import type { Position } from '../../storage/contract.ts';
import type { TaskState } from '../../task/state.ts';
import type { TaskDefinition } from '../api/definition.ts';
import type { StoredError } from '../task/entries.ts';
import type { Memory } from '../task/memory.ts';
import type { Head } from '../task/records/head.ts';
import type { TaskServices } from './services.ts';

export interface Subject {
  readonly host: TaskServices;
  readonly definition: TaskDefinition;
  readonly head: Head;
  readonly memory: Memory;
  readonly current: () => { state: TaskState; agent: string; step: string | null };
}

/** The part that goes into a checkpoint, also for a task that is not running. */
export type Described = Pick<Subject, 'head' | 'memory' | 'current'> & {
  readonly definition: Pick<TaskDefinition, 'env_requirements'>;
};

export interface Moment extends TriggerDecision {
  readonly sequence: number;
  readonly now: Date;
  readonly journal: Position;
  readonly file_changes: CheckpointRecord['file_changes'];
  readonly snapshot?: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export function checkpointBody(
  { definition, head, memory, current }: Described,
  moment: Moment,
): CheckpointBody {
  const { state, agent } = current();
  const { context, progress, iteration, variables } = memory;
  const journals = [...head.lineage.map(({ task, to }) => ({ task, seq: to })), ownJournal(head, moment)];
  const step = stepAt(memory, moment.trigger);
  const at = moment.now.toISOString();
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
    journal: moment.journal,
    state: {
      status: state.status,
      current_agent: agent === '' ? null : agent,
      iteration,
      progress: progress.percent,
    },
    context,
    file_changes: moment.file_changes,
    ...(moment.snapshot === undefined ? {} : { snapshot: moment.snapshot }),
    recovery_info: {
      resume_point: step.id,
      required_context: requiredContext(journals, variables.keys()),
      env_requirements: { ...definition.env_requirements },
      working_dir: head.working_dir,
    },
    step_name: step.name,
    step_index: step.index,
    step_state: { progress },
    step_context: step.context ?? null,
    step_variables: Object.fromEntries(variables),
    step_status: step.status,
    error: errorOf(state, step.error),
    metadata: { ...moment.metadata },
  };
}

/** The step about to run, where the checkpoint is made before one; else the last that ended. */
function stepAt({ begun, lastStep, stepIndex }: Memory, trigger: string) {
  const next = trigger.startsWith('before_') ? [...begun.values()].at(-1) : undefined;
  if (next) {
    const { id, name, index, context } = next;
    return { id, name, index, context, status: 'pending', error: null } as const;
  }
  const index = stepIndex - 1;
  if (lastStep) return { ...lastStep, index };
  return { id: 'start', name: null, index, context: null, status: 'success', error: null } as const;
}

function ownJournal({ task_id: task }: Head, { journal: { seq } }: Moment) {
  return { task, seq };
}

/** Why the task failed; else why the last step did. */
function errorOf(state: TaskState, ofStep: StoredError | null): CheckpointBody['error'] {
  if (state.status === 'failed') return { name: state.data.error_type, message: state.data.error_message };
  if (!ofStep) return null;
  const { name, message, code } = ofStep;
  return { name, message, ...(code === undefined ? {} : { code }) };
}
