/** One attempt with a time limit, and how long to wait before the next. */
import type { Config } from '../../config/types.ts';
import { EngineError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { RetryOptions } from '../api/context.ts';
import { LONGEST_TIMER } from '../api/timers.ts';

/** Before attempt 2, 3, …: exponential, capped, with jitter so that many do not retry at once. */
export function delayBefore(
  attempt: number,
  retry: RetryOptions,
  random: () => number = Math.random,
): number {
  const full = Math.min(retry.max_delay_ms, retry.first_delay_ms * retry.factor ** (attempt - 2));
  return full * (1 - retry.jitter * random());
}

/**
 * Runs `fn` with a signal that is aborted at its time limit or by `outer`; settles then, even if `fn` ignores the signal.
 */
export async function runLimited<T>(
  fn: (signal: AbortSignal) => Promise<T> | T,
  what: string,
  timeout_ms: number,
  outer: AbortSignal,
): Promise<T> {
  const limit = new AbortController();
  const error = new EngineError('STEP_TIMEOUT', phrase`${what} took longer than ${timeout_ms} ms.`, {
    data: { what, timeout_ms },
    hint: phrase`Raise timeout_ms, or let the step listen to its signal and end sooner.`,
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const arm = (left: number): void => {
      timer = setTimeout(
        () => {
          if (left > LONGEST_TIMER) return arm(left - LONGEST_TIMER);
          limit.abort(error);
          reject(error);
        },
        Math.min(left, LONGEST_TIMER),
      );
    };
    arm(timeout_ms);
  });
  try {
    return await Promise.race([fn(AbortSignal.any([limit.signal, outer])), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A step is tried once unless it asks for more; the delays are the configured ones. */
export function retryDefaults({ recovery: { retry } }: Config): RetryOptions {
  return {
    attempts: 1,
    first_delay_ms: retry.first_delay_seconds * 1000,
    factor: retry.factor,
    max_delay_ms: retry.max_delay_seconds * 1000,
    jitter: 0.5,
    when: () => true,
  };
}
