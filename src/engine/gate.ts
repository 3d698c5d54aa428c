/** Where a task can be stopped: before each new operation. What is under way ends first; what comes after never begins. */
export interface Gate {
  /** Passes, unless the task is to stop: then the promise stays pending for good and the caller is forgotten. */
  enter(): Promise<void>;
  /** What was let in has ended and is recorded. */
  leave(): void;
  /** From now on nothing passes; resolves when nothing is under way. */
  close(): Promise<void>;
  readonly closed: boolean;
}

export function createGate(): Gate {
  let inside = 0;
  let closed = false;
  let quiet: (() => void) | undefined;
  const whenQuiet = new Promise<void>((resolve) => {
    quiet = resolve;
  });
  return {
    enter: () => {
      if (closed) return new Promise(() => {});
      inside++;
      return Promise.resolve();
    },
    leave: () => {
      inside--;
      if (closed && inside === 0) quiet!();
    },
    close: () => {
      closed = true;
      if (inside === 0) quiet!();
      return whenQuiet;
    },
    get closed() {
      return closed;
    },
  };
}
