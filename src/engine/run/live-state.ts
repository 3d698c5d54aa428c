/** When a running task's state is written: together with its commits, not with every one, and never much later. */
import type { RecordWrite } from '../../storage/contract.ts';

export interface LiveState {
  /**
   * What to write of the state with a commit that leaves it as it is: nothing if it was just written. Then `later` is
   * called when it is due.
   */
  withCommit(later: () => Promise<void>): RecordWrite[];
  /** It has changed without a commit. If none shows it in time, `later` is called. */
  changed(later: () => Promise<void>): void;
  /** The state is part of a commit anyway. */
  shown(): void;
  stop(): void;
}

/** Everything in the state is in the journal, too: it is written for readers. */
const SHOW_EVERY_MS = 500;

export function createLiveState(record: () => RecordWrite): LiveState {
  let shownAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;

  const shown = (): void => {
    shownAt = performance.now();
    clearTimeout(timer);
    timer = undefined;
  };

  const showIn = (ms: number, later: () => Promise<void>): void => {
    const catchUp = (): void => {
      timer = undefined;
      later().catch(() => {}); // The next write reports a failure; nothing waits for this one.
    };
    timer ??= setTimeout(catchUp, ms).unref();
  };

  return {
    withCommit(later) {
      const left = shownAt + SHOW_EVERY_MS - performance.now();
      if (left > 0) {
        showIn(left, later);
        return [];
      }
      shown();
      return [record()];
    },
    changed: (later) => showIn(SHOW_EVERY_MS, later),
    shown,
    stop: () => clearTimeout(timer),
  };
}
