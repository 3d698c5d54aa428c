/** From which row on what was read of a task may be another now. Pure. */
import type { Timeline } from '../shapes/types.ts';

type Known = Pick<Timeline, 'open' | 'total' | 'dead'>;

export function firstChanged(before: Known | null, now: Known): number {
  if (before === null) return 0;
  const ends = [before, now].map(({ open, total }) => open ?? total);
  // A rollback, and a redo, change rows that had ended.
  const names = [before, now].map(({ dead }) => dead.map((one) => JSON.stringify(one)));
  const differing = [before, now].flatMap(({ dead }, at) =>
    dead.filter((one) => !names[1 - at]!.includes(JSON.stringify(one))),
  );
  return Math.min(...ends, ...differing.map(({ from_row }) => from_row));
}
