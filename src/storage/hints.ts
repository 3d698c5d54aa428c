/** Hints of what may have changed: gathered until they are taken, each of them once. */

import { VibeError } from '../errors.ts';
import { sleepFor } from '../system/time-limit.ts';

/** A task; null: anything. */
export type Hint = string | null;

interface Hints<T> {
  readonly tell: (hint: T) => void;
  /** Ends them with an error. */
  readonly fail: (error: unknown) => void;
  /** Ends when the signal is aborted. */
  taken(): AsyncGenerator<T>;
}

export function createHints<T = Hint>(signal: AbortSignal): Hints<T> {
  const waiting = new Set<T>();
  let woken = Promise.withResolvers<void>();
  let failed: { readonly error: unknown } | null = null;
  signal.addEventListener('abort', () => woken.resolve(), { once: true });
  return {
    tell(hint) {
      waiting.add(hint);
      woken.resolve();
    },
    fail(error) {
      failed = { error };
      woken.resolve();
    },
    async *taken() {
      while (!signal.aborted) {
        for (const hint of waiting) {
          waiting.delete(hint);
          yield hint;
          if (signal.aborted) return;
        }
        if (failed) throw failed.error;
        woken = Promise.withResolvers();
        await woken.promise;
      }
    },
  };
}

/** After the store could not be read. */
const LATER_MS = 2000;

/** Looks again and again until the signal is aborted. `look` returns in how many milliseconds the next look is due. */
export async function keepLooking(
  look: () => Promise<number> | number,
  first: number,
  { fail }: Pick<Hints<never>, 'fail'>,
  signal: AbortSignal,
): Promise<void> {
  for (let wait = first; ; ) {
    await sleepFor(Math.max(0, wait), signal).catch(() => {}); // Aborted.
    if (signal.aborted) return;
    try {
      wait = await look();
    } catch (error) {
      if (!isOfStore(error)) return fail(error);
      wait = LATER_MS; // It is closed, or cannot be read now.
    }
  }
}

/** Of the store, the system or a driver, and not an error in our code. */
function isOfStore(error: unknown): boolean {
  return error instanceof VibeError || typeof (error as { code?: unknown } | null)?.code === 'string';
}
