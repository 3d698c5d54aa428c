/** Whose turn it is in a process that owns many tasks: a commit that is alone goes at once, several tasks' go side by side. */
import type { PreparedCommit, Receipt } from '../backend.ts';

/** What a task's turn is for: a commit, or something that needs its files to itself. */
type Waiting = WaitingCommit | { readonly job: () => void };

export interface WaitingCommit {
  readonly prepared: PreparedCommit;
  readonly resolve: (receipt: Receipt) => void;
  readonly reject: (error: unknown) => void;
}

export interface TakesTurns {
  readonly queue: Waiting[];
  /** A commit of it that is being synced beside those of others. */
  syncing: Promise<void> | null;
}

interface Turns<T extends TakesTurns> {
  enqueue(task: T, next: Waiting): void;
  /** Runs after all earlier calls for the task, and before all later ones. */
  inTurn<R>(task: T, run: () => R): Promise<R>;
}

/** How long commits may follow each other before timers and signals get their turn. */
const LONGEST_TURN_MS = 20;

export function createTurns<T extends TakesTurns>(
  commitNow: (task: T, next: WaitingCommit) => void,
  /** Null where it has failed already. */
  commitBesideOthers: (task: T, next: WaitingCommit) => Promise<void> | null,
): Turns<T> {
  const waiting = new Set<T>();
  let syncing = 0;
  let draining = false;
  let lastTurn = 0;
  const settled = Promise.resolve(); // cheaper than `queueMicrotask`

  const drainSoon = (): void => {
    if (draining) return;
    draining = true;
    if (performance.now() - lastTurn < LONGEST_TURN_MS) void settled.then(drain);
    else setImmediate(drainInNewTurn);
  };

  const drainInNewTurn = (): void => {
    lastTurn = performance.now();
    drain();
  };

  const drain = (): void => {
    draining = false;
    const ready = [...waiting].filter((task) => !task.syncing);
    const alone = ready.length === 1 && syncing === 0;
    for (const task of ready) {
      const next = task.queue.shift();
      if (task.queue.length === 0) waiting.delete(task);
      if (!next) continue;
      if ('job' in next) next.job();
      else if (alone) commitNow(task, next);
      else beside(task, commitBesideOthers(task, next));
    }
    if (waiting.size > 0 && waiting.values().some((task) => !task.syncing)) drainSoon();
  };

  const beside = (task: T, commit: Promise<void> | null): void => {
    if (!commit) return;
    syncing++;
    task.syncing = commit.finally(() => {
      syncing--;
      task.syncing = null;
      if (waiting.size > 0) drainSoon();
    });
  };

  const enqueue = (task: T, next: Waiting): void => {
    task.queue.push(next);
    waiting.add(task);
    drainSoon();
  };

  return {
    enqueue,
    inTurn: (task, run) =>
      new Promise((resolve, reject) => {
        const job = (): void => {
          try {
            resolve(run());
          } catch (error) {
            reject(error);
          }
        };
        enqueue(task, { job });
      }),
  };
}
