/** Excludes the end of a journal from what counts; pure. Nothing is removed: a cut is a range of numbers in the head. */
import { joinSpans } from '../../storage/ranges.ts';
import type { Head, Ranges } from './records/head.ts';

/** An entry of the live journal, as the last one that stays. */
export interface Cut {
  /** Whose journal it is in: the task's own, or one it was forked from. */
  readonly task: string;
  readonly seq: number;
}

/** A cut that files are restored to; `snapshot` where they were captured there. */
export interface Point extends Cut {
  readonly snapshot?: string | undefined;
}

type Stretches = Pick<Head, 'dead' | 'lineage'>;

/** What counts when everything after the cut is taken out; `end` is the last entry of the task's own journal. */
export function cutAfter(head: Head, cut: Cut, end: number): Stretches {
  const at = head.lineage.findIndex(({ task }) => task === cut.task);
  if (at < 0) return { lineage: head.lineage, dead: addRange(head.dead, cut.seq + 1, end) };
  const lineage = head.lineage.map((ancestor, i) => {
    if (i < at) return ancestor;
    const from = i === at ? cut.seq + 1 : 1;
    return { ...ancestor, dead: addRange(ancestor.dead, from, ancestor.to) };
  });
  return { lineage, dead: addRange(head.dead, 1, end) };
}

/** Whether an entry comes after the cut. */
export function isAfter(head: Head, cut: Cut, { task, seq }: Cut): boolean {
  const order = (name: string): number => {
    const i = head.lineage.findIndex((ancestor) => ancestor.task === name);
    return i < 0 ? head.lineage.length : i;
  };
  return order(task) - order(cut.task) > 0 || (task === cut.task && seq > cut.seq);
}

/** Ascending and disjoint, in whatever order they were added. */
export function addRange(ranges: Ranges, from: number, to: number): [number, number][] {
  return joinSpans([...ranges, [from, to]]);
}

/** The part of the ranges up to and with `end`. */
export function clipRanges(ranges: Ranges, end: number): [number, number][] {
  return ranges.filter(([from]) => from <= end).map(([from, to]) => [from, Math.min(to, end)]);
}
