/** What a page waits for goes before what nobody waits for yet. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Calls {
  /** Counts as a call of a page until it is done. */
  during<T>(run: () => Promise<T>): Promise<T>;
  /** Until no page has asked for anything for a moment. */
  quiet(signal: AbortSignal): Promise<void>;
}

/** A page that got one answer asks its next question sooner than this. */
const MOMENT_MS = 50;
/** A call that takes longer, and pages that never stop asking, do not hold it up. */
const LONGEST_MS = 500;
const LOOK_MS = 10;

export function createCalls(): Calls {
  const begun = new Set<{ readonly at: number }>();
  let ended = Number.NEGATIVE_INFINITY;
  const isBusy = (now: number): boolean =>
    now - ended < MOMENT_MS || [...begun].some(({ at }) => now - at < LONGEST_MS);
  return {
    async during(run) {
      const call = { at: performance.now() };
      begun.add(call);
      try {
        return await run();
      } finally {
        begun.delete(call);
        ended = performance.now();
      }
    },
    async quiet(signal) {
      const latest = performance.now() + LONGEST_MS;
      for (let now = performance.now(); now < latest && isBusy(now); now = performance.now()) {
        if (signal.aborted) return;
        await sleep(LOOK_MS);
      }
    },
  };
}
