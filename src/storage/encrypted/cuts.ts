/** Which entries of a journal were taken out by whoever may: a gap that is not noted here was made past the store. */
import type { PreparedRecord } from '../prepare.ts';
import { encode } from '../serialize.ts';
import type { DataKey } from './data-key.ts';
import { CUTS } from './own-records.ts';
import type { Records } from './records.ts';

type Range = readonly [from: number, to: number];

export interface Cuts {
  /** The note of all cuts with one more, for the commit that makes it. */
  add(task: string, key: DataKey, cut: Range, end: number): Promise<PreparedRecord>;
  /** Whether every entry from one number to another was cut. */
  cover(task: string, from: number, to: number): Promise<boolean>;
}

export function openCuts(records: Records): Cuts {
  const keyOf = (task: string) => `${task}/${CUTS}`;
  const load = async (task: string): Promise<{ ranges: readonly Range[]; revision: number }> => {
    const record = await records.get('tasks', keyOf(task));
    return { ranges: (record?.data as Range[] | undefined) ?? [], revision: record?.revision ?? 0 };
  };
  return {
    async add(task, key, [from, to], end) {
      const { ranges, revision } = await load(task);
      const joined = join([...ranges, [from, Math.min(to, end)]]);
      const { text } = records.seal(key, 'tasks', keyOf(task), end, encode(joined));
      return { category: 'tasks', key: keyOf(task), text, expect: revision };
    },
    async cover(task, from, to) {
      const { ranges } = await load(task);
      return ranges.some((range) => range[0] <= from && to <= range[1]);
    },
  };
}

function join(ranges: readonly Range[]): Range[] {
  const joined: [number, number][] = [];
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = joined.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}
