/** What a clean-up removes, summed up for each task. Pure. */
import type { Cleaned } from '../../shapes/care.ts';

interface TaskSum {
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

/** All of it: checkpoints that are listed and those that are not, and what nothing needs any more. */
export function sumOf(
  found: Pick<Cleaned, 'removed' | 'unlisted' | 'forgotten' | 'freed_bytes' | 'pending_bytes'>,
) {
  const count = found.removed.length + found.unlisted;
  const size = found.freed_bytes + found.pending_bytes;
  return { count, size, isNothing: count === 0 && found.freed_bytes === 0 && found.forgotten.length === 0 };
}
