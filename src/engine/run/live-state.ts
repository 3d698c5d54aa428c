/** When a running task's state is written: beside what it commits anyway, not with every commit, and never much later. */
import type { RecordWrite } from '../../storage/contract.ts';

export interface LiveState {
  /** What to write of the state with a commit that leaves it as it is: nothing when it was written just now. */
  withCommit(): RecordWrite[];
  /** The state goes out with a commit of its own accord. */
  shown(): void;
  stop(): void;
}

/** All that moves in the state is in the journal too: it is for those who look. */
const SHOW_EVERY_MS = 500;

export function createLiveState(record: () => RecordWrite, write: () => Promise<void>): LiveState {
  let shownAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;

  const shown = (): void => {
    shownAt = performance.now();
    clearTimeout(timer);
    timer = undefined;
  };

  const catchUp = (): void => {
    timer = undefined;
    write().catch(() => {}); // Whoever writes next learns of a failure; here nobody waits for it.
  };

  return {
    withCommit() {
      const left = shownAt + SHOW_EVERY_MS - performance.now();
      if (left > 0) {
        timer ??= setTimeout(catchUp, left).unref();
        return [];
      }
      shown();
      return [record()];
    },
    shown,
    stop: () => clearTimeout(timer),
  };
}
