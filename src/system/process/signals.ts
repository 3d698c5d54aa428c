/** The two signals with which a terminal or a supervisor asks a process to end. */
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
export type EndSignal = (typeof SIGNALS)[number];

/**
 * Calls `handle` instead of ending the process, with how often it was asked; returns a function that removes the handler.
 */
export function onEndSignal(handle: (signal: EndSignal, times: number) => void): () => void {
  let times = 0;
  const listeners = SIGNALS.map((signal) => {
    const listener = (): void => handle(signal, ++times);
    process.on(signal, listener);
    return { signal, listener };
  });
  return () => {
    for (const { signal, listener } of listeners) process.off(signal, listener);
  };
}

/** Ends this process the way the signal would have, unless another handler is left: then that one decides. */
export function endBySignal(signal: EndSignal): void {
  if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
}

interface SignalHandling {
  start(): void;
  stop(): void;
  /** Stops handling them once nothing needs it. */
  stopUnlessNeeded(): void;
  /** Handles them while `work` is in progress, even if nothing else needs it. */
  during<T>(work: () => Promise<T>): Promise<T>;
}

export function handleSignals(
  wanted: boolean,
  handle: Parameters<typeof onEndSignal>[0],
  needed: () => boolean,
): SignalHandling {
  let off: (() => void) | undefined;
  let working = 0;
  const stop = (): void => {
    off?.();
    off = undefined;
  };
  const start = (): void => {
    if (wanted) off ??= onEndSignal(handle);
  };
  const stopUnlessNeeded = (): void => {
    if (working === 0 && !needed()) stop();
  };
  return {
    start,
    stop,
    stopUnlessNeeded,
    async during(work) {
      working++;
      start();
      try {
        return await work();
      } finally {
        working--;
        stopUnlessNeeded();
      }
    },
  };
}
