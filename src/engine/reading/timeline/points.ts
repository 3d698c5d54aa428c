/** The checkpoints on a timeline. Pure. */
import { isRemoved } from '../../history/checkpoints.ts';
import type { Cleaned } from '../../task/records/cleaned.ts';
import { isDead } from '../../task/records/head.ts';
import { deadOf } from './dead.ts';
import { type MarkColumns, pointId } from './events.ts';
import type { TimelineIndex } from './index.ts';

/** Checkpoints of a task that it was forked from belong to that task. */
export function checkpointBefore(index: TimelineIndex, cleaned: Cleaned, row: number): string | null {
  const { rows, journals, events } = index;
  const { checkpoints } = events;
  const own = journals.length - 1;
  if (rows.get('journal', row) !== own) return null;
  const seq = rows.get('seq', row);
  for (let at = lastUpTo(checkpoints, own, seq); at >= 0; at--) {
    if (checkpoints.get('journal', at) !== own) return null;
    if (isThere(index, checkpoints, cleaned, at))
      return pointId(journals, own, checkpoints.get('number', at));
  }
  return null;
}

/** When the last one up to an entry of the task's own journal was made; null: there is none. */
export function checkpointTime({ journals, events }: TimelineIndex, seq: number): number | null {
  const { checkpoints } = events;
  const own = journals.length - 1;
  const at = lastUpTo(checkpoints, own, seq);
  return at >= 0 && checkpoints.get('journal', at) === own ? checkpoints.get('at', at) : null;
}

/** Where the last mark up to an entry is; -1: there is none. They are in the order of the journals. */
function lastUpTo(marks: MarkColumns, journal: number, seq: number): number {
  let [low, high] = [0, marks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const later =
      marks.get('journal', middle) > journal ||
      (marks.get('journal', middle) === journal && marks.get('seq', middle) > seq);
    if (later) high = middle;
    else low = middle + 1;
  }
  return low - 1;
}

/** A checkpoint that was neither rolled back nor cleaned up. */
export function isThere({ head }: TimelineIndex, marks: MarkColumns, cleaned: Cleaned, at: number): boolean {
  const journal = marks.get('journal', at);
  if (isDead(deadOf(head, journal), marks.get('seq', at))) return false;
  return journal < head.lineage.length || !isRemoved(cleaned, marks.get('number', at));
}
