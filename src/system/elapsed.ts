/** Monotonic time that includes the time a machine was asleep; used for leases. */

import { uptime } from 'node:os';
import { platform } from './platform.ts';

/** Without /proc the system says whole seconds: how much more than the truth that may be. */
const COARSE_MS = 1000;
/** Asking the system takes as long as a hundred looks at a clock, so it is asked only if the clocks moved apart by this. */
const APART_MS = 20;

const began = { uptime_ms: uptime() * 1000, now: performance.now() };
/** How long the machine has slept so far, and how far the clocks were apart when that was found out. */
let known = { asleep: 0, apart: Date.now() - performance.now() };

/**
 * Milliseconds since the process started counting. The monotonic clock stops while a machine sleeps; the clock on the wall
 * and the system's uptime do not. What is in doubt counts as sleep, so that a lease is held too briefly rather than too long.
 */
export function elapsed(): number {
  const now = performance.now();
  const apart = Date.now() - now;
  if (Math.abs(apart - known.apart) > APART_MS) known = { asleep: asleepUntil(now), apart };
  return now - began.now + known.asleep + Math.max(0, apart - known.apart);
}

/** More than before, if at all: a clock that was set is no sleep. */
function asleepUntil(now: number): number {
  const more = uptime() * 1000 - began.uptime_ms - (now - began.now) - (platform.proc ? 0 : COARSE_MS);
  return Math.max(known.asleep, more);
}
