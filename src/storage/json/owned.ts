/**
 * Commits of tasks this process owns. No other process writes their logs, so memory knows where they end. A commit that is
 * alone is written and synced at once; several tasks' commits are synced side by side, off the main thread.
 */
import * as io from '../../system/io.ts';
import type { PreparedCommit } from '../backend.ts';
import type { Receipt } from '../contract.ts';
import {
  appendFrame,
  applyPlanned,
  beginLog,
  isIdle,
  type Planned,
  planCommit,
  type RecordFacts,
  trimLog,
} from './append.ts';
import { type FenceFile, notOwned, raiseFence } from './fence.ts';
import type { Guard } from './guard.ts';
import type { Layout } from './layout.ts';
import { noteUnseen, recallViews, writeViews } from './records.ts';
import { blankScope, loadScope, loadUnlessDamaged, type Scope } from './scope.ts';

export interface Owned {
  /** Starts to own a task under this fence; `remove` ends it. */
  add(task: string, fence: number): void;
  has(task: string): boolean;
  /** Whether a claim of this number still counts; aborts `lost` where it does not. */
  live(task: string, fence: number, lost: AbortController): boolean;
  /** The task as memory knows it; null before its first commit. */
  scope(task: string): Scope | null;
  commit(prepared: PreparedCommit): Promise<Receipt>;
  /** Waits for commits in progress, then runs something on the files; the task is read again afterwards. */
  rewrite<T>(task: string, run: () => T): Promise<T>;
  /** Waits for commits in progress, updates the views and forgets the task. */
  remove(task: string): Promise<void>;
  flush(): Promise<void>;
  tasks(): string[];
}

interface OwnedTask {
  /** Null before its first commit; undefined when it has to be read again. */
  scope: Scope | null | undefined;
  readonly fence: FenceFile;
  file: io.OpenFile | null;
  queue: Waiting[];
  syncing: Promise<void> | null;
  behind: boolean;
}

/** What a task's turn is for: a commit, or something that needs its files to itself. */
type Waiting = WaitingCommit | { readonly job: () => void };

interface WaitingCommit {
  readonly prepared: PreparedCommit;
  readonly resolve: (receipt: Receipt) => void;
  readonly reject: (error: unknown) => void;
}

/** Views are at most a second behind a running task. */
const FLUSH_AFTER_MS = 800;
/** How long commits may follow each other before timers and signals get their turn. */
const LONGEST_TURN_MS = 20;
const LEAST_ROOM = 4 * 1024;
const MOST_ROOM = 128 * 1024;

export function createOwned(layout: Layout, guard: Guard, facts: RecordFacts): Owned {
  const tasks = new Map<string, OwnedTask>();
  const waiting = new Set<OwnedTask>();
  let syncing = 0;
  let scheduled = false;
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
    const ready = [...waiting].filter((owned) => !owned.syncing);
    const alone = ready.length === 1 && syncing === 0;
    for (const owned of ready) {
      const next = owned.queue.shift();
      if (owned.queue.length === 0) waiting.delete(owned);
      if (!next) continue;
      if ('job' in next) next.job();
      else if (alone) commitNow(owned, next);
      else commitBesideOthers(owned, next);
    }
    if (waiting.size > 0 && waiting.values().some((owned) => !owned.syncing)) drainSoon();
  };

  const begin = (owned: OwnedTask, prepared: PreparedCommit): Planned => {
    current(owned, prepared.task!);
    owned.file ??= openLog(layout, prepared, owned, facts);
    owned.fence.assertNewest();
    const planned = planCommit(owned.scope!, prepared, facts);
    appendFrame(owned.scope!, owned.file, planned.bytes, roomFor(owned.scope!));
    return planned;
  };

  const finish = (owned: OwnedTask, planned: Planned, { resolve }: WaitingCommit): void => {
    owned.fence.assertHeld(owned.file!);
    noteUnseen(owned.scope!, planned.frame.frame);
    applyPlanned(owned.scope!, planned);
    owned.behind = true;
    flushSoon();
    resolve(planned.receipt);
  };

  const commitNow = (owned: OwnedTask, next: WaitingCommit): void => {
    try {
      const planned = guard.write(() => {
        const begun = begin(owned, next.prepared);
        io.fdatasync(owned.file!);
        return begun;
      });
      finish(owned, planned, next);
    } catch (error) {
      next.reject(error);
    }
  };

  const commitBesideOthers = (owned: OwnedTask, next: WaitingCommit): void => {
    try {
      const planned = guard.write(() => begin(owned, next.prepared));
      syncing++;
      owned.syncing = io
        .fdatasyncAsync(owned.file!)
        .then(() => finish(owned, planned, next))
        .catch((error) => {
          guard.noteFailure(error);
          next.reject(error);
        })
        .finally(() => {
          syncing--;
          owned.syncing = null;
          if (waiting.size > 0) drainSoon();
        });
    } catch (error) {
      next.reject(error);
    }
  };

  const flushSoon = (): void => {
    if (!scheduled) setTimeout(flushBehind, FLUSH_AFTER_MS).unref();
    scheduled = true;
  };

  const flushBehind = (): void => {
    scheduled = false;
    for (const owned of tasks.values()) {
      try {
        showViews(owned);
      } catch {
        // The log has everything; the views are updated with the next commit, flush or open.
      }
    }
  };

  const showViews = (owned: OwnedTask): void => {
    if (!owned.behind || !owned.scope || !owned.fence.isNewest()) return;
    writeViews(layout, owned.scope);
    owned.behind = false;
  };

  const enqueue = (target: OwnedTask, next: Waiting): void => {
    target.queue.push(next);
    waiting.add(target);
    drainSoon();
  };

  /** Runs after all earlier calls for the task, and before all later ones. */
  const inTurn = <T>(target: OwnedTask, run: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      const job = (): void => {
        try {
          resolve(run());
        } catch (error) {
          reject(error);
        }
      };
      enqueue(target, { job });
    });

  const owned = (task: string): OwnedTask => {
    const found = tasks.get(task);
    if (found) return found;
    throw notOwned(task);
  };

  const current = (target: OwnedTask, task: string): Scope | null => {
    if (target.scope === undefined) target.scope = loadScope(layout, task);
    return target.scope;
  };

  return {
    add(task, number) {
      const { dir, name } = layout.fence(task);
      const fence = raiseFence(dir, task, name, number);
      try {
        const scope = loadUnlessDamaged(layout, task);
        const behind = scope ? recallViews(layout, scope) : false;
        tasks.set(task, { scope, fence, file: null, queue: [], syncing: null, behind });
        if (behind) flushSoon();
      } catch (error) {
        fence.release();
        throw error;
      }
    },
    has: (task) => tasks.has(task),
    live(task, number, lost) {
      const { fence } = tasks.get(task) ?? {};
      const followed = () => (fence?.number === number ? fence.followed() : notOwned(task));
      const why = guard.closedError() ?? followed();
      if (why) lost.abort(why);
      return !lost.signal.aborted;
    },
    scope: (task) => current(owned(task), task),
    tasks: () => [...tasks.keys()],

    commit: (prepared) =>
      new Promise((resolve, reject) => {
        const target = owned(prepared.task!);
        const idle =
          current(target, prepared.task!) ?? blankScope(prepared.task, layout.taskLog(prepared.task!));
        if (target.queue.length === 0 && !target.syncing && isIdle(idle, prepared, facts)) {
          resolve(planCommit(idle, prepared, facts).receipt);
          return;
        }
        enqueue(target, { prepared, resolve, reject });
      }),

    async rewrite(task, run) {
      const target = owned(task);
      return inTurn(target, () => {
        if (target.file) target.fence.assertHeld(target.file);
        if (target.file) io.close(target.file);
        target.file = null;
        // However it ends, the state in memory is out of date.
        target.behind = false;
        target.scope = undefined;
        return run();
      });
    },

    async remove(task) {
      const target = tasks.get(task);
      if (!target) return;
      tasks.delete(task);
      await inTurn(target, () => {
        try {
          showViews(target);
        } finally {
          closeLog(target);
          target.fence.release();
        }
      });
    },

    async flush() {
      for (const target of tasks.values()) showViews(target);
    },
  };
}

/** A small part of what there is, so that a short log stays short and a long one is seldom given more. */
function roomFor({ end }: Scope): number {
  return Math.min(Math.max(LEAST_ROOM, end >> 3), MOST_ROOM);
}

function closeLog({ scope, file, fence }: OwnedTask): void {
  if (!file) return;
  try {
    // After a later claim, what follows the end belongs to its owner.
    if (scope && fence.isNewest()) trimLog(scope, file);
  } catch {
    // Zeros after the end do no harm.
  }
  io.close(file);
}

function openLog(layout: Layout, first: PreparedCommit, owned: OwnedTask, facts: RecordFacts): io.OpenFile {
  const task = first.task!;
  if (!owned.scope) {
    beginLog(layout, first, facts);
    owned.scope = loadScope(layout, task);
  }
  return io.open(layout.taskLog(task), 'r+');
}
