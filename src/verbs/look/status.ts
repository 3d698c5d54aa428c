/** A task's status in a word, in the colour that fits it. */
import { type StatusFacts, shownStatus } from '../../task/status.ts';
import type { Cell } from '../format/table.ts';
import type { Call } from '../kit/verb.ts';

export function statusText(facts: StatusFacts, say: Call['say']): string {
  return say(`status.${shownStatus(facts)}`);
}

export function statusCell(facts: StatusFacts, { say, paint }: Pick<Call, 'say' | 'paint'>): Cell {
  const painter = {
    idle: paint.dim,
    interrupted: paint.warn,
    expired: paint.dim,
    timed_out: paint.warn,
    queued: paint.dim,
    in_progress: paint.bold,
    paused: paint.warn,
    waiting: paint.warn,
    completed: paint.good,
    failed: paint.bad,
    cancelled: paint.dim,
  }[shownStatus(facts)];
  return [statusText(facts, say), painter];
}
