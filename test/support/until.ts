import { vi } from 'vitest';

/**
 * Waits until it neither throws nor is false, however slow the machine is: against hanging for ever the test has a limit of its
 * own.
 */
export function until<T>(look: () => T | Promise<T>): Promise<T> {
  const seen = async (): Promise<T> => {
    const found = await look();
    if (found === false) throw new Error('It is not so yet.');
    return found;
  };
  return vi.waitFor(seen, { timeout: 600_000, interval: 10 });
}
