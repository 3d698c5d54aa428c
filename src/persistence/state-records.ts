/** Where the state of a task is stored: `tasks/{task_id}/state`, sealed with its checksum. */
import { CorruptError } from '../errors.ts';
import { phrase } from '../phrase.ts';
import type { RecordWrite, Storage } from '../storage/contract.ts';
import { assertTask } from '../storage/keys.ts';
import { encode } from '../storage/serialize.ts';
import { stateKey } from '../task/keys.ts';
import { openState, sealState, type TaskState } from '../task/state.ts';
import { commitRecord, type TaskWrite } from './checkpoint-records.ts';

/** The state as part of a commit, so that it changes together with the journal. */
export function stateRecord(state: TaskState): RecordWrite {
  return { category: 'tasks', key: stateKey(state.task_id), data: sealState(state, encode) };
}

export function saveState(storage: Storage, state: TaskState, write: TaskWrite = {}): Promise<string> {
  return commitRecord(storage, state.task_id, stateRecord(state), write);
}

/** The state, or null. INVALID_STATE or CORRUPT when what is stored is not the state of this task. */
export async function loadState(storage: Storage, task_id: string): Promise<TaskState | null> {
  assertTask(task_id);
  const stored = await storage.load('tasks', stateKey(task_id));
  if (stored === null) return null;
  const state = openState(stored, encode);
  if (state.task_id !== task_id) {
    throw new CorruptError(phrase`The state stored for task ${task_id} belongs to task ${state.task_id}.`, {
      data: { task_id, found: state.task_id },
      hint: phrase`It was copied or moved there. The journal of the task still has its own state: resume from there.`,
    });
  }
  return state;
}
