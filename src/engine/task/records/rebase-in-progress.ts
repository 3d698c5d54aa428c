/** `tasks/{task}/rebasing`: exists from before a rebase changes anything until the task's place in git is updated. */
import * as z from 'zod';
import { UNFINISHED, type Unfinished } from '../../../drift/rebase/undo.ts';
import { CorruptError } from '../../../errors.ts';
import { phrase } from '../../../phrase.ts';
import type { RecordWrite, Storage } from '../../../storage/contract.ts';
import { keyOf, type RecordKind } from './kind.ts';

export const REBASE_IN_PROGRESS: RecordKind = {
  category: 'tasks',
  key: '{task}/rebasing',
  travels: 'unfinished',
  keeps: 'all',
  check: (stored, task) => void openUnfinishedRebase(task, stored),
};

const schema = UNFINISHED.extend({ version: z.literal('1.0') });

export function rebaseInProgress(task: string, begun: Unfinished): RecordWrite {
  return { category: 'tasks', key: keyOf(REBASE_IN_PROGRESS, task), data: { version: '1.0', ...begun } };
}

/** Written with the commit that finishes it. */
export function rebaseFinished(task: string): RecordWrite {
  return { category: 'tasks', key: keyOf(REBASE_IN_PROGRESS, task), remove: true };
}

export async function loadUnfinishedRebase(storage: Storage, task: string) {
  const stored = await storage.load('tasks', keyOf(REBASE_IN_PROGRESS, task));
  return stored === null ? null : openUnfinishedRebase(task, stored);
}

export function openUnfinishedRebase(task: string, stored: unknown): z.infer<typeof schema> {
  const { data } = schema.safeParse(stored);
  if (data) return data;
  throw new CorruptError(phrase`A rebase for task ${task} was interrupted, and its record cannot be read.`, {
    data: { task },
    hint: phrase`Look at the repository, then remove the record tasks/${keyOf(REBASE_IN_PROGRESS, task)} from the store.`,
  });
}
