/** How often something can be done in a second. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Does it once. A synchronous one is not made to wait for the event loop. */
export type Worker = () => void | Promise<void>;

/** Short, so that both sides meet the same weather. */
const TURN_MS = 25;

/** All workers at once, each doing one after another until the time is up and what it began is done. */
export async function ratePerSecond(workers: readonly Worker[], after?: Worker): Promise<number> {
  let done = 0;
  const start = performance.now();
  const end = start + TURN_MS;
  const work = async (once: Worker): Promise<void> => {
    do {
      const pending = once();
      if (pending) await pending;
      done++;
    } while (performance.now() < end);
  };
  await Promise.all(workers.map(work));
  await after?.();
  return (1000 * done) / (performance.now() - start);
}

/** Lets timers that are due run: what a subject puts off is then paid for in its own time. */
export async function runDueTimers(): Promise<void> {
  await nextTurn();
  await nextTurn();
}
