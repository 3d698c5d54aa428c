/** The time, passed in: code that needs it is given a clock, so that a test can set the time. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** The form in which every stored time is written: ISO 8601, UTC, milliseconds. */
export function isoNow(clock: Clock): string {
  return clock.now().toISOString();
}
