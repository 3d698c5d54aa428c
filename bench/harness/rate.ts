/** How often something can be done in a second. */

/** Does it once. A synchronous one is not made to wait for the event loop. */
export type Worker = () => void | Promise<void>;

const ROUND_MS = 200;

/** All workers at once, each doing one after another until the time is up and what it began is done. */
export async function ratePerSecond(workers: readonly Worker[], after?: Worker): Promise<number> {
  let done = 0;
  const start = performance.now();
  const end = start + ROUND_MS;
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
