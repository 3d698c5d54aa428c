/** The time, passed in: code that needs it is given a clock, so that a test can set the time. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

let at = Number.NaN;
let text = '';

/**
 * The form in which every stored time is written: ISO 8601, UTC, milliseconds. Cached: much happens within a millisecond, and
 * formatting is expensive right after a sync.
 */
export function isoNow(clock: Clock = systemClock): string {
  const now = clock.now().getTime();
  if (now !== at) {
    text = new Date(now).toISOString();
    at = now;
  }
  return text;
}
