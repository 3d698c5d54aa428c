/** Calls that have to wait before they are passed on: the back end is closed only after them. */
interface Pending {
  /** Returns the same call; it is pending until it settles. */
  track<T>(call: Promise<T>): Promise<T>;
  /** Resolves when all calls so far have settled. */
  settled(): Promise<unknown>;
}

export function createPending(): Pending {
  const calls = new Set<Promise<unknown>>();
  return {
    track(call) {
      const done = () => calls.delete(call);
      calls.add(call);
      call.then(done, done);
      return call;
    },
    settled: () => Promise.allSettled(calls),
  };
}
