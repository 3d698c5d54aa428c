/** Readable copies, kept outside tasks: `history/{task}` and the conversation as it is saved while the task runs. */
import { autoSaveId } from '../../../task/keys.ts';
import type { RecordKind } from './kind.ts';

/** It is all that is left of an emptied task, so it is kept forever. */
export const HISTORY: RecordKind = { category: 'history', key: '{task}', travels: 'always', keeps: 'blobs' };

export const CONVERSATION: RecordKind = {
  category: 'conversation',
  key: autoSaveId('{task}'),
  travels: 'always',
  keeps: 'nothing',
  needed: 'until_emptied',
  isOurs: (stored, task) => (stored as { task_id?: unknown } | null)?.task_id === task,
};
