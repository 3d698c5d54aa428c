/** Copies for readers, kept beside the tasks: `history/{task}` and the conversation as it is saved while the task runs. */
import type { RecordKind } from './kind.ts';

/** Of an emptied task it is all that is left, so it is kept for good. */
export const HISTORY: RecordKind = { category: 'history', key: '{task}', travels: 'always', keeps: 'blobs' };

export const CONVERSATION: RecordKind = {
  category: 'conversation',
  key: 'conv-auto-save-{task}',
  travels: 'always',
  keeps: 'nothing',
  needed: 'until_emptied',
  isOurs: (stored, task) => (stored as { task_id?: unknown } | null)?.task_id === task,
};
