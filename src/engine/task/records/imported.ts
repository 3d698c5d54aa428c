/** Which tasks were imported from a file, whose content others may control. */

import type { RecordWrite, Storage } from '../../../storage/contract.ts';
import type { Head } from './head.ts';
import { keyOf, type RecordKind } from './kind.ts';

/** A file can neither contain nor omit it. */
export const IMPORTED: RecordKind = {
  category: 'tasks',
  key: '{task}/imported',
  travels: 'here',
  keeps: 'all',
};

export function importedRecord(task: string, at: string, exported_at: string): RecordWrite {
  return { category: 'tasks', key: keyOf(IMPORTED, task), data: { at, exported_at } };
}

/** Whether it, or what it was forked from, was imported. */
export async function isImported(
  storage: Storage,
  { task_id, lineage }: Pick<Head, 'task_id' | 'lineage'>,
): Promise<boolean> {
  for (const task of [task_id, ...lineage.map((share) => share.task)])
    if ((await storage.get('tasks', keyOf(IMPORTED, task))) !== null) return true;
  return false;
}
