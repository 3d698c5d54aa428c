/** Calls that were taken and have to wait before they are passed on: what is below them is closed after them. */
export interface Pending {
  /** The same call; it counts until it is answered, or has failed. */
  track<T>(call: Promise<T>): Promise<T>;
  /** When all that were taken so far are answered. */
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
