import { vi } from 'vitest';

/** Waits until it does not throw, however slow the machine is: against hanging for ever the test has a limit of its own. */
export function until<T>(look: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(look, { timeout: 600_000, interval: 10 });
}
