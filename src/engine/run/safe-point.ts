/** Where a task can be stopped: before each new operation. What is under way ends first; what comes after never begins. */
export interface SafePoint {
  /** Passes, unless the task is to stop: then the promise stays pending for good and the caller is forgotten. */
  enter(): Promise<void>;
  /** The same for what is inside already and about to have an effect: it stays pending where the task was lost. */
  stay(): Promise<void>;
  /** The task is another's: from now on nothing passes, and what is inside does not go on. */
  lose(): void;
  /** What was let in has ended and is recorded. */
  leave(): void;
  /** From now on nothing passes; resolves when nothing is under way. */
  close(): Promise<void>;
  readonly closed: boolean;
  readonly lost: boolean;
}

/** `owned`: whether the task is still this run's; where it is not, the run is told before the answer comes. */
export function createSafePoint(owned: () => boolean): SafePoint {
  let inside = 0;
  let closed = false;
  let lost = false;
  let quiet: (() => void) | undefined;
  const whenQuiet = new Promise<void>((resolve) => {
    quiet = resolve;
  });
  return {
    enter: () => {
      if (closed || !owned()) return new Promise(() => {});
      inside++;
      return Promise.resolve();
    },
    stay: () => (!lost && owned() ? Promise.resolve() : new Promise(() => {})),
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
