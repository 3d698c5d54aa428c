/** Time that only grows and that counts how long the machine was asleep: what leases run by. */

import { uptime } from 'node:os';
import { platform } from './platform.ts';

/** Without /proc the system says whole seconds: how much more than the truth that may be. */
const COARSE_MS = 1000;

const began = { uptime_ms: uptime() * 1000, now: performance.now() };

/**
 * Milliseconds since the process began to count. The monotonic clock stands still in a machine that sleeps, the system's
 * uptime does not; whichever says more is believed, so that a lease is held for too short a time rather than too long.
 */
export function elapsed(): number {
  const awake = performance.now() - began.now;
  return Math.max(awake, uptime() * 1000 - began.uptime_ms - (platform.proc ? 0 : COARSE_MS));
}
