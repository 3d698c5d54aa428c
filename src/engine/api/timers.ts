/** Waiting for a time of day rather than for a number of milliseconds. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../system/clock.ts';

/** Timers last 24 days at most and stop while the machine is suspended: long waits are split. */
const LONGEST_PART = 60_000;

export { LONGEST_TIMER } from '../../system/time-limit.ts';

/** Resolves at that time; rejects when the signal is aborted. */
export async function sleepUntil(time: string, clock: Clock, signal: AbortSignal): Promise<void> {
  const byClock = (): number => Date.parse(time) - clock.now().getTime();
  let left = byClock();
  while (left > 0) {
    const part = Math.min(left, LONGEST_PART);
    await sleep(part, undefined, { signal });
    left = Math.min(left - part, byClock());
  }
}
