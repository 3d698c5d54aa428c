/** Readable copies, kept outside tasks: `history/{task}` and the conversation as it is saved while the task runs. */
import type { RecordKind } from './kind.ts';

/** It is all that is left of an emptied task, so it is kept forever. */
export const HISTORY: RecordKind = { category: 'history', key: '{task}', travels: 'always', keeps: 'blobs' };

export const CONVERSATION: RecordKind = {
  category: 'conversation',
  key: 'conv-auto-save-{task}',
  travels: 'always',
  keeps: 'nothing',
  needed: 'until_emptied',
  isOurs: (stored, task) => (stored as { task_id?: unknown } | null)?.task_id === task,
};
