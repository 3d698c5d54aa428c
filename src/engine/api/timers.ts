/** Waiting for a time of day rather than for a number of milliseconds. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../system/clock.ts';

/** Timers hold 24 days at most and stand still while the machine is suspended: long waits go in parts. */
const LONGEST_PART = 60_000;

export { LONGEST_TIMER } from '../../system/time-limit.ts';

/** Resolves when that time has come; rejects when the signal is aborted. */
export async function sleepUntil(time: string, clock: Clock, signal: AbortSignal): Promise<void> {
  const byClock = (): number => Date.parse(time) - clock.now().getTime();
  let left = byClock();
  while (left > 0) {
    const part = Math.min(left, LONGEST_PART);
    await sleep(part, undefined, { signal });
    left = Math.min(left - part, byClock());
  }
}
