import type { Clock } from '../../src/system/clock.ts';

export interface ManualClock extends Clock {
  set(to: Date): void;
  advance(milliseconds: number): void;
}

/** A clock that stands still until it is told otherwise. */
export function manualClock(start: Date): ManualClock {
  let time = start.getTime();
  return {
    now: () => new Date(time),
    set: (to) => {
      time = to.getTime();
    },
    advance: (milliseconds) => {
      time += milliseconds;
    },
  };
}
