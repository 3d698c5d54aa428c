/** Which parts of which journals nothing needs any more: pure, from the heads of all tasks. */

import { joinSpans, type Span, withoutSpans } from '../../storage/ranges.ts';
import type { Head } from '../task/records/head.ts';

export interface Journal {
  readonly task: string;
  /** The number of its last entry. */
  readonly end: number;
  readonly head: Pick<Head, 'lineage' | 'dead' | 'undone'> | null;
  /** The task ended and its checkpoints are permanently gone: it needs neither its own journal nor its ancestors'. */
  readonly over: boolean;
}

/** What is needed of a journal: up to which entry, without what was rolled back. */
export interface Share {
  readonly task: string;
  readonly to: number;
  readonly dead: readonly Span[];
}

/**
 * A task that is not over needs its journal and those it was forked from, up to where, without what was rolled back;
 * all of it while a rollback can still be redone, since that brings entries back.
 */
export function needlessSpans(
  journals: readonly Journal[],
  others: readonly Share[] = [],
): Map<string, Span[]> {
  const needed = new Map<string, Span[]>();
  const need = (task: string, spans: readonly Span[]): void => {
    needed.set(task, [...(needed.get(task) ?? []), ...spans]);
  };
  for (const share of others) need(share.task, spansOf(share));
  for (const { task, end, head, over } of journals) {
    if (over) continue;
    const redoable = head === null || head.undone.length > 0;
    need(task, withoutSpans([[1, end]], redoable ? [] : head.dead));
    for (const share of head?.lineage ?? []) {
      need(share.task, spansOf(redoable ? { ...share, dead: [] } : share));
    }
  }
  return new Map(
    journals.map(({ task, end }) => [task, withoutSpans([[1, end]], joinSpans(needed.get(task) ?? []))]),
  );
}

/** The last entry is needed in any case: its hash shows a reader of the share that it is the right journal. */
function spansOf({ to, dead }: Share): Span[] {
  return [...withoutSpans([[1, to]], dead), [to, to]];
}

/** Groups tasks that share journals: one may refer to data of another. */
export function families<T extends { readonly task: string; readonly head: Pick<Head, 'lineage'> | null }>(
  tasks: readonly T[],
): T[][] {
  const root = new Map<string, string>();
  const find = (task: string): string => {
    let at = task;
    for (let up = root.get(at); up !== undefined && up !== at; up = root.get(at)) at = up;
    return at;
  };
  for (const { task, head } of tasks) {
    root.set(find(task), find(task));
    for (const ancestor of head?.lineage ?? []) root.set(find(ancestor.task), find(task));
  }
  return [...Map.groupBy(tasks, ({ task }) => find(task)).values()];
}
