/**
 * Restoring files and rolling the task back are two writes. The record `tasks/{task}/rollback` exists from before the
 * first file is changed until the task matches its files: a process that claims the task in between finishes it first.
 */

import * as z from 'zod';
import { CorruptError } from '../../../errors.ts';
import { phrase } from '../../../phrase.ts';
import type { Claim, RecordWrite, Storage } from '../../../storage/contract.ts';
import { assertLive } from './claim.ts';
import { keyOf, type RecordKind } from './kind.ts';

const schema = z.strictObject({
  version: z.literal('1.0'),
  /** Where the task goes back to; null if it is not a checkpoint, or this is a redo. */
  checkpoint: z.string().nullable(),
  /** The entry of a journal that it goes back to, if it is not a checkpoint; and why. */
  cut: z.strictObject({ task: z.string(), seq: z.int().min(0) }).optional(),
  reason: z.string().optional(),
  by: z.string().optional(),
  /** The task whose changes to files are taken, and what they are; only for a take. */
  take: z
    .strictObject({
      from: z.string(),
      to: z.string(),
      own: z.array(z.strictObject({ from: z.string(), to: z.string() })),
    })
    .optional(),
  only: z.enum(['files']).nullable(),
  /** The files before the first one was changed. */
  before: z.string(),
  on_modified: z.enum(['ask', 'use_current', 'use_checkpoint', 'merge', 'abort']),
  on_deleted: z.enum(['ask', 'restore', 'skip', 'abort']),
  /** What was chosen, by kind of question and path. */
  answers: z.record(z.string(), z.string()),
});

export const ROLLBACK_IN_PROGRESS: RecordKind = {
  category: 'tasks',
  key: '{task}/rollback',
  travels: 'unfinished',
  keeps: 'all',
  check: (stored, task) => void openUnfinished(task, stored),
};

/** What version 0.1 called it. It is read and removed, not written. */
export const ROLLBACK_IN_PROGRESS_0_1: RecordKind = { ...ROLLBACK_IN_PROGRESS, key: '{task}/going-back' };

const KINDS = [ROLLBACK_IN_PROGRESS, ROLLBACK_IN_PROGRESS_0_1];

export type Unfinished = Readonly<Omit<z.infer<typeof schema>, 'version'>>;

export async function noteUnfinished(
  storage: Storage,
  claim: Pick<Claim, 'task' | 'fence' | 'live' | 'lost'>,
  begun: Unfinished,
): Promise<void> {
  const { task, fence } = claim;
  const record = {
    category: 'tasks',
    key: keyOf(ROLLBACK_IN_PROGRESS, task),
    data: { version: '1.0', ...begun },
  };
  await storage.commit({ task, fence, records: [record] });
  assertLive(claim); // Next come files, which no commit guards.
}

export async function loadUnfinished(storage: Storage, task: string): Promise<Unfinished | null> {
  for (const kind of KINDS) {
    const stored = await storage.load('tasks', keyOf(kind, task));
    if (stored !== null) return openUnfinished(task, stored, kind);
  }
  return null;
}

export function openUnfinished(task: string, stored: unknown, kind = ROLLBACK_IN_PROGRESS): Unfinished {
  const { data, error } = schema.safeParse(stored);
  if (data) return data;
  throw new CorruptError(phrase`A rollback of task ${task} was interrupted, and its record cannot be read.`, {
    data: { task, field: error.issues[0]?.path.join('.') ?? '' },
    hint: phrase`Look at the files, then remove the record tasks/${keyOf(kind, task)} from the store.`,
  });
}

/** The verb that started it. */
export function verbOf({ checkpoint, cut, only, take }: Unfinished): 'undo' | 'redo' | 'rollback' | 'take' {
  if (take) return 'take';
  if (checkpoint === null && !cut) return 'redo';
  return cut && only === 'files' ? 'undo' : 'rollback';
}

/** Written with the commit that finishes it. */
export function rollbackFinished(task: string): RecordWrite[] {
  return KINDS.map((kind) => ({ category: 'tasks', key: keyOf(kind, task), remove: true }));
}
