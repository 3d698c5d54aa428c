/** Time limits of any length: a timer that is set for more than 24 days fires at once, or throws. */
import { setTimeout as sleep } from 'node:timers/promises';

/** The longest delay of a timer. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/** Aborted when the time is over; keeps no process alive. */
export function timeLimit(ms: number): AbortSignal {
  if (ms <= LONGEST_TIMER) return AbortSignal.timeout(Math.ceil(ms));
  const limit = new AbortController();
  const arm = (left: number): void => {
    const wait = (): void => (left > LONGEST_TIMER ? arm(left - LONGEST_TIMER) : limit.abort(late()));
    setTimeout(wait, Math.min(left, LONGEST_TIMER)).unref();
  };
  arm(ms);
  return limit.signal;
}

function late(): DOMException {
  return new DOMException('The operation was aborted due to timeout', 'TimeoutError');
}

/** Resolves after that many milliseconds; rejects when the signal is aborted. */
export async function sleepFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  let left = ms;
  do {
    await sleep(Math.min(left, LONGEST_TIMER), undefined, signal ? { signal } : {});
    left -= LONGEST_TIMER;
  } while (left > 0);
}

const PARTS = 20;

/**
 * Calls `then` when this process has run for so long, unless what is returned is called before. While the process is stopped
 * (Ctrl-Z, SIGSTOP), no time goes by.
 */
export function afterRunning(ms: number, then: () => void): () => void {
  let left = PARTS;
  // One that falls due while the process is stopped is called once, whenever it goes on.
  const timer = setInterval(() => {
    left -= 1;
    if (left > 0) return;
    clearInterval(timer);
    then();
  }, ms / PARTS);
  return () => clearInterval(timer);
}
