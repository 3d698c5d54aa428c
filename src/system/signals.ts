/** The two ways a terminal or a supervisor asks a process to end. */
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
export type EndSignal = (typeof SIGNALS)[number];

/** Calls `handle` instead of ending the process, with how often it was asked; answers how to stop that. */
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

/** Ends this process the way the signal would have, unless someone else still minds it: then that one does. */
export function endBySignal(signal: EndSignal): void {
  if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
}
