/**
 * Which entries of a journal were cut legitimately: a gap that is not noted here was made by something other than the store.
 */
import type { PreparedRecord } from '../backend.ts';
import { joinSpans } from '../ranges.ts';
import { decode, encode } from '../serialize.ts';
import type { DataKey } from './data-key.ts';
import { CUTS } from './own-records.ts';
import type { Records } from './records.ts';

/** `hash`: of the chain over what was written, after the last of them. */
type Range = readonly [from: number, to: number, hash: string];

export interface Cuts {
  /** The note of all cuts with one more, for the commit that makes it. */
  add(task: string, key: DataKey, cut: Range, end: number): Promise<PreparedRecord>;
  /** The hash there, where a cut ends; null elsewhere. */
  hashAt(task: string, seq: number): Promise<string | null>;
  /** Whether every entry from one number to another was cut. */
  cover(task: string, from: number, to: number): Promise<boolean>;
}

export function openCuts(records: Records): Cuts {
  const keyOf = (task: string) => `${task}/${CUTS}`;
  const load = async (task: string): Promise<{ ranges: readonly Range[]; revision: number }> => {
    const record = await records.get('tasks', keyOf(task));
    return { ranges: record ? (decode(record.text) as Range[]) : [], revision: record?.revision ?? 0 };
  };
  return {
    async add(task, key, cut, end) {
      const { ranges, revision } = await load(task);
      const joined = join([...ranges, cut]);
      const text = records.seal(key, 'tasks', keyOf(task), end, encode(joined));
      return { category: 'tasks', key: keyOf(task), text, expect: revision };
    },
    async hashAt(task, seq) {
      const { ranges } = await load(task);
      return ranges.find(([, to]) => to === seq)?.[2] ?? null;
    },
    async cover(task, from, to) {
      const { ranges } = await load(task);
      return ranges.some((range) => range[0] <= from && to <= range[1]);
    },
  };
}

function join(ranges: readonly Range[]): Range[] {
  const hashes = new Map(ranges.map(([, to, hash]) => [to, hash]));
  return joinSpans(ranges.map(([from, to]) => [from, to] as const)).map(([from, to]) => [
    from,
    to,
    hashes.get(to)!,
  ]);
}
