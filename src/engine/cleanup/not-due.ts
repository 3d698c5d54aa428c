/** What is not due yet: tasks that need no check after every completed task, and bytes that are freed later. */
import type { CleanupConfig } from '../../config/types.ts';
import { isFinal } from '../../task/status.ts';
import type { Surveyed } from './survey.ts';
import { graceIsOver, type Sweep } from './sweep.ts';

/** By task, until when (in milliseconds) there is nothing to take. Kept in memory: losing it only costs time. */
export type NotDue = Map<string, number>;

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;

/** For tasks that were checked and left as they are. What is not final may change at any time. */
export function notDueUntil({ lifecycle, checkpoints, cleaned }: Surveyed, settings: CleanupConfig): number {
  const { status, finished_at } = lifecycle;
  if (!isFinal(status) || finished_at === null) return 0;
  if (checkpoints.length === 0 && cleaned.emptied_at !== null) {
    const free = Date.parse(cleaned.emptied_at) + settings.grace_hours * HOUR;
    return cleaned.cut.length > 0 ? Number.POSITIVE_INFINITY : free;
  }
  const kept = Date.parse(finished_at) + settings.completed_days * DAY;
  if (settings.older_than_days === null) return kept;
  const ages = checkpoints.map(({ created_at }) => Date.parse(created_at) + settings.older_than_days! * DAY);
  return Math.min(kept, ...ages);
}

/** What clean-up of tasks that ended and have no checkpoints will free. */
export function pendingBytes(sweep: Sweep, tasks: readonly Surveyed[]): number {
  return tasks
    .filter(({ cleaned: { emptied_at } }) => emptied_at !== null && !graceIsOver(sweep, emptied_at))
    .reduce((sum, { cleaned }) => sum + cleaned.bytes, 0);
}
