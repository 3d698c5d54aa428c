/** What a clean-up removes, summed up for each task. Pure. */
import type { Cleaned } from '../../shapes/care.ts';

export interface TaskSum {
  readonly task: string;
  readonly count: number;
  readonly bytes: number;
  /** Why they go; each reason once. */
  readonly why: string;
}

export function byTask({ removed }: Pick<Cleaned, 'removed'>): TaskSum[] {
  const sums = new Map<string, { count: number; bytes: number; why: Set<string> }>();
  for (const { task, bytes, why } of removed) {
    const sum = sums.get(task) ?? { count: 0, bytes: 0, why: new Set() };
    sum.count += 1;
    sum.bytes += bytes;
    sum.why.add(why);
    sums.set(task, sum);
  }
  return [...sums]
    .map(([task, { count, bytes, why }]) => ({ task, count, bytes, why: [...why].join(', ') }))
    .sort((a, b) => b.bytes - a.bytes);
}
