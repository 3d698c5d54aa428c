/** The time, passed in: code that needs it is given a clock, so that a test can set the time. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

export interface ManualClock extends Clock {
  set(to: Date): void;
  advance(milliseconds: number): void;
}

/** A clock that stands still until it is set. */
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

/** The form in which every stored time is written: ISO 8601, UTC, milliseconds. */
export function isoNow(clock: Clock): string {
  return clock.now().toISOString();
}
