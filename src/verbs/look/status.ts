/** A task's status in a word, in the colour that fits it. */
import type { TaskStatus } from '../../task/status.ts';
import type { Cell } from '../format/table.ts';
import type { Call } from '../kit/verb.ts';

interface StatusFacts {
  readonly status: TaskStatus;
  readonly holder: string | null;
  readonly idle: boolean;
  readonly expired: boolean;
  readonly timed_out: boolean;
}

export function statusCell(
  { status, holder, idle, expired, timed_out }: StatusFacts,
  { say, paint }: Pick<Call, 'say' | 'paint'>,
): Cell {
  if (idle) return [say('status.idle'), paint.dim];
  // In progress according to the store, but not running.
  if (status === 'in_progress' && holder === null) return [say('status.interrupted'), paint.warn];
  if (expired) return [say('status.expired'), paint.dim];
  if (timed_out) return [say('status.timed_out'), paint.warn];
  const painter = {
    queued: paint.dim,
    in_progress: paint.bold,
    paused: paint.warn,
    waiting: paint.warn,
    completed: paint.good,
    failed: paint.bad,
    cancelled: paint.dim,
  }[status];
  return [say(`status.${status}`), painter];
}
