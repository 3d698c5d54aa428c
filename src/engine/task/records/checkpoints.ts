/** Records about a task's checkpoints. */

import * as z from 'zod';
import type { RecordWrite } from '../../../storage/contract.ts';
import { checkpointsPrefix, creatingKey } from '../../../task/keys.ts';
import { keyOf, type RecordKind } from './kind.ts';

/**
 * Made by `checkpointKey`: checkpoints that someone asked for or that a task was left at, and those that were made without
 * an engine. The others are marks in the journal.
 */
export const CHECKPOINT: RecordKind = {
  category: 'tasks',
  key: `${checkpointsPrefix('{task}')}*`,
  travels: 'always',
  keeps: 'all',
  change: (stored, { checkpoint }) => checkpoint(stored),
};

/** The only record of a task whose creation was not finished. */
export const CREATING: RecordKind = {
  category: 'tasks',
  key: creatingKey('{task}'),
  travels: 'here',
  keeps: 'all',
};

/** Which checkpoints a task had when it was last left: so that clean-up need not read its journal. */
export const LISTED: RecordKind = {
  category: 'tasks',
  key: '{task}/listed/checkpoints',
  travels: 'always',
  keeps: 'nothing',
};

const listed = z.object({
  checkpoints: z.array(z.tuple([z.int().min(0), z.iso.datetime()])),
});

export interface ListedCheckpoint {
  readonly sequence: number;
  readonly created_at: string;
}

export function listedRecord(task: string, checkpoints: readonly ListedCheckpoint[]): RecordWrite {
  const rows = checkpoints.map(({ sequence, created_at }) => [sequence, created_at]);
  return { category: 'tasks', key: keyOf(LISTED, task), data: { version: '1.0', checkpoints: rows } };
}

/** None where it is missing or damaged. */
export function parseListed(stored: unknown): ListedCheckpoint[] {
  const rows = listed.safeParse(stored).data?.checkpoints ?? [];
  return rows.map(([sequence, created_at]) => ({ sequence, created_at }));
}
