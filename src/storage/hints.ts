/** Hints of what may have changed: gathered until they are taken, each of them once. */

/** A task; null: anything. */
export type Hint = string | null;

export interface Hints<T> {
  readonly tell: (hint: T) => void;
  /** Ends when the signal is aborted. */
  taken(): AsyncGenerator<T>;
}

export function createHints<T = Hint>(signal: AbortSignal): Hints<T> {
  const waiting = new Set<T>();
  let woken = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => woken.resolve(), { once: true });
  return {
    tell(hint) {
      waiting.add(hint);
      woken.resolve();
    },
    async *taken() {
      while (!signal.aborted) {
        for (const hint of waiting) {
          waiting.delete(hint);
          yield hint;
          if (signal.aborted) return;
        }
        woken = Promise.withResolvers();
        await woken.promise;
      }
    },
  };
}
