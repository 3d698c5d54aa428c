/** A checkpoint as the engine would write it; what a test is about is given. */
import {
  type CheckpointBody,
  type CheckpointRecord,
  sealCheckpoint,
} from '../../src/checkpoint/record/record.ts';
import { START } from '../../src/storage/chain.ts';
import { checkpointId } from '../../src/task/keys.ts';

export function checkpointBody(change: Partial<CheckpointBody> = {}): CheckpointBody {
  const task = change.task_id ?? 'task-1';
  const sequence = change.sequence_number ?? 1;
  const at = change.created_at ?? '2026-11-20T12:00:00.000Z';
  return {
    version: '1.0',
    id: checkpointId(task, sequence),
    task_id: task,
    execution_id: task,
    created_at: at,
    timestamp: at,
    sequence_number: sequence,
    trigger: 'after_step',
    priority: 'normal',
    journal: START,
    state: { status: 'in_progress', current_agent: null, iteration: 0, progress: 10 },
    context: { messages: 0, tool_outputs: 0, decisions: 0, bytes: 0 },
    file_changes: { modified: [], created: [], deleted: [] },
    recovery_info: {
      resume_point: 'start',
      required_context: [],
      env_requirements: {},
      working_dir: '/work',
    },
    step_name: 'fetch',
    step_index: sequence - 1,
    step_state: null,
    step_context: null,
    step_variables: {},
    step_status: 'success',
    error: null,
    metadata: {},
    ...change,
  };
}

export function checkpoint(change: Partial<CheckpointBody> = {}): CheckpointRecord {
  return sealCheckpoint(checkpointBody(change));
}
