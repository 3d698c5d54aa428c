/** Doing something every so often by the clock one is given, however far that jumps. */
import type { Clock } from '../../system/clock.ts';

/** The clock is looked at this often: a machine that slept, or a test, may have moved it. */
const TICK_MS = 500;

/** Answers how to stop. The next time counts from the end of the one before. */
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
