/**
 * What changed in a store, told to all who listen: by this process at once, by others as the back end notices it. The back
 * end is asked once for all of them, and only while somebody listens.
 */
import { VibeError } from '../errors.ts';
import { sleepFor } from '../system/time-limit.ts';
import type { Backend, Claim } from './backend.ts';
import { createHints, type Hint } from './hints.ts';

interface Changes {
  /** Tells of what this process changes, once that is done. */
  after<T>(task: string | null, done: Promise<T>): Promise<T>;
  /** The same, whether or not it succeeds. */
  around<T>(task: string, change: Promise<T>): Promise<T>;
  /** A claim that was made, and that tells when it is released. */
  aroundClaim(claim: Claim): Claim;
  listen(signal: AbortSignal | undefined): AsyncGenerator<Hint>;
  /** Ends all of it. */
  end(): void;
}

/** How often to look at a back end that cannot tell. */
const LOOK_EVERY_MS = 1000;

export function openChanges(backend: Backend): Changes {
  const listeners = new Set<(hint: Hint) => void>();
  const over = new AbortController();
  let following: AbortController | undefined;
  /** The back end notices changes from now on. */
  let begun = false;

  const tell = (hint: Hint): void => {
    for (const hear of listeners) hear(hint);
  };

  const around = async <T>(task: string, change: Promise<T>): Promise<T> => {
    try {
      return await change;
    } finally {
      tell(task);
    }
  };

  const follow = async (signal: AbortSignal): Promise<void> => {
    const passOn = async (hints: AsyncIterable<Hint>): Promise<void> => {
      for await (const hint of hints) {
        if (signal.aborted) return;
        begun = true;
        tell(hint);
      }
    };
    try {
      if (backend.changes) await passOn(backend.changes(signal));
    } catch (error) {
      if (!(error instanceof VibeError) && !signal.aborted) throw error;
    }
    if (!signal.aborted) await passOn(everySoOften(signal));
  };

  return {
    after: (task, done) => {
      // Mostly nobody listens, and a commit need not wait for another turn.
      if (listeners.size === 0) return done;
      return done.then((result) => {
        tell(task);
        return result;
      });
    },
    around,
    aroundClaim(claim) {
      const { task, fence, lost } = claim;
      tell(task);
      return { task, fence, lost, live: () => claim.live(), release: () => around(task, claim.release()) };
    },
    async *listen(signal) {
      const ended = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
      const hints = createHints(ended);
      listeners.add(hints.tell);
      if (!following) {
        following = new AbortController();
        begun = false;
        void follow(AbortSignal.any([following.signal, over.signal]));
      } else if (begun) hints.tell(null);
      try {
        yield* hints.taken();
      } finally {
        listeners.delete(hints.tell);
        if (listeners.size === 0) {
          following?.abort();
          following = undefined;
        }
      }
    },
    end: () => over.abort(),
  };
}

/** Now and then, that anything may have changed. */
async function* everySoOften(signal: AbortSignal): AsyncGenerator<null> {
  while (!signal.aborted) {
    yield null;
    // It only ends early when it is aborted.
    await sleepFor(LOOK_EVERY_MS, signal).catch(() => {});
  }
}
