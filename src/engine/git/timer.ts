/** Repeats something by a given clock, however far that jumps. */
import type { Clock } from '../../system/clock.ts';

/** The clock is read this often: a machine that slept, or a test, may have moved it. */
const TICK_MS = 500;

/** Returns a function that stops it. The next time counts from the end of the one before. */
export function everyMinutes(minutes: number, clock: Clock, work: () => Promise<void>): () => void {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const wait = (): void => {
    const due = clock.now().getTime() + minutes * 60_000;
    const tick = (): void => {
      const left = due - clock.now().getTime();
      if (left > 0) timer = setTimeout(tick, Math.min(left, TICK_MS)).unref();
      else
        void work().finally(() => {
          if (!stopped) wait();
        });
    };
    tick();
  };
  wait();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
