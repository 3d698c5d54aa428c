/** Monotonic time that includes the time a machine was asleep; used for leases. */

import { uptime } from 'node:os';
import { platform } from './platform.ts';

/** Without /proc the system says whole seconds: how much more than the truth that may be. */
const COARSE_MS = 1000;

const began = { uptime_ms: uptime() * 1000, now: performance.now() };

/**
 * Milliseconds since the process started counting. The monotonic clock stops while a machine sleeps, the system's uptime
 * does not; the larger is used, so that a lease is held too briefly rather than too long.
 */
export function elapsed(): number {
  const awake = performance.now() - began.now;
  return Math.max(awake, uptime() * 1000 - began.uptime_ms - (platform.proc ? 0 : COARSE_MS));
}
