/** Where a task can be stopped: before each new operation. Operations in progress end first; later ones never start. */
export interface SafePoint {
  /**
   * Passes, unless the task should stop: then the promise stays pending forever. `asks itself`: what comes next asks `stay`
   * before it begins anything.
   */
  enter(asking?: 'asks itself'): Promise<void>;
  /**
   * The same for an operation that has passed and is about to have an effect: stays pending if the task was lost. `at its
   * end`: for one that has ended, a commit acknowledged just now is proof enough.
   */
  stay(when?: 'at its end'): Promise<void>;
  /** The task was lost to another process: from now on nothing passes, and operations in progress do not continue. */
  lose(): void;
  /** An operation that had passed has ended and is recorded. */
  leave(): void;
  /** From now on nothing passes; resolves when nothing is in progress. */
  close(): Promise<void>;
  readonly closed: boolean;
  readonly lost: boolean;
}

/**
 * `owned`: whether the task still belongs to this run; if not, the run is notified before this resolves. `proven`: whether a
 * commit has just shown it.
 */
export function createSafePoint(owned: () => boolean, proven: () => boolean): SafePoint {
  let inside = 0;
  let closed = false;
  let lost = false;
  let quiet: (() => void) | undefined;
  const whenQuiet = new Promise<void>((resolve) => {
    quiet = resolve;
  });
  return {
    enter: (asking) => {
      if (closed || (!asking && !owned())) return new Promise(() => {});
      inside++;
      return Promise.resolve();
    },
    stay: (when) => {
      if (lost) return new Promise(() => {});
      return (when && proven()) || owned() ? Promise.resolve() : new Promise(() => {});
    },
    lose: () => {
      lost = true;
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
    get lost() {
      return lost;
    },
    get closed() {
      return closed;
    },
  };
}
