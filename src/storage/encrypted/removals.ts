/**
 * Which of a task's records were removed legitimately, and when. The last entry may mention a record that was removed after
 * it; if the removal is not noted here, something other than the store did it.
 */
import type { PreparedRecord } from '../backend.ts';
import { decode, encode } from '../serialize.ts';
import type { DataKey } from './data-key.ts';
import { REMOVED } from './own-records.ts';
import type { Records } from './records.ts';

type Removed = Readonly<Record<string, number>>;

export interface Removals {
  /** The note with these names added, for the commit that removes them. */
  add(task: string, key: DataKey, names: readonly string[], end: number): Promise<PreparedRecord>;
  /** By name: where the journal ended when it was last removed. */
  load(task: string): Promise<Removed>;
}

export function openRemovals(records: Records): Removals {
  const keyOf = (task: string) => `${task}/${REMOVED}`;
  const load = async (task: string): Promise<Removed> => {
    const record = await records.get('tasks', keyOf(task));
    return record ? (decode(record.text) as Removed) : {};
  };
  return {
    load,
    async add(task, key, names, end) {
      const removed = { ...(await load(task)), ...Object.fromEntries(names.map((name) => [name, end])) };
      const text = records.seal(key, 'tasks', keyOf(task), end, encode(removed));
      return { category: 'tasks', key: keyOf(task), text, expect: undefined };
    },
  };
}
