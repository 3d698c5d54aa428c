/**
 * Commits of tasks this process owns. No other process writes their logs, so memory knows where they end. A commit that is
 * alone is written and synced at once; several tasks' commits are synced side by side, off the main thread.
 */
import { IoError } from '../../errors.ts';
import * as io from '../../system/io.ts';
import type { NamedBlob, PreparedCommit } from '../backend.ts';
import type { Receipt } from '../contract.ts';
import {
  appendFrame,
  applyPlanned,
  beginLog,
  closeLog,
  isIdle,
  type Planned,
  planCommit,
  type RecordFacts,
  roomFor,
} from './append.ts';
import { compactTask } from './compact.ts';
import { type FenceFile, notOwned, raiseFence } from './fence.ts';
import type { Guard } from './guard.ts';
import type { Layout } from './layout.ts';
import { WITH_BLOBS } from './lines/log.ts';
import { noteUnseen, recallViews, writeViews } from './records.ts';
import { blankScope, loadScope, loadUnlessDamaged, type Scope } from './scope.ts';
import { createTurns, type TakesTurns, type WaitingCommit } from './turns.ts';
import type { Unsynced } from './unsynced.ts';

export interface Owned {
  /** Starts to own a task under this fence; `remove` ends it. */
  add(task: string, fence: number): void;
  has(task: string): boolean;
  /** Whether a claim of this number still counts; aborts `lost` where it does not. */
  live(task: string, fence: number, lost: AbortController): boolean;
  /** The task as memory knows it; null before its first commit. */
  scope(task: string): Scope | null;
  commit(prepared: PreparedCommit): Promise<Receipt>;
  /** Whether its commits may bring blobs along. */
  bringsBlobs(task: string): boolean;
  /** Waits for commits in progress, then runs something on the files; the task is read again afterwards. */
  rewrite<T>(task: string, run: () => T): Promise<T>;
  /** Waits for commits in progress, updates the views and forgets the task. */
  remove(task: string): Promise<void>;
  flush(): Promise<void>;
  tasks(): string[];
}

interface OwnedTask extends TakesTurns {
  /** Null before its first commit; undefined when it has to be read again. */
  scope: Scope | null | undefined;
  readonly fence: FenceFile;
  /** While its log is rewritten: it is to hold nothing that is in no synced file. */
  isRewritten: boolean;
  /** The bytes of its log that blobs take, as far as this claim has brought them. */
  ofBlobs: number;
  file: io.OpenFile | null;
  behind: boolean;
}

/** Views are at most a second behind a running task. */
const FLUSH_AFTER_MS = 800;
/** When the blobs in a log have so many bytes and are a sixth of it, they leave it. */
const MOST_OF_BLOBS = 256 * 1024;
const MOST_PART = 6;

export function createOwned(layout: Layout, guard: Guard, facts: RecordFacts, unsynced: Unsynced): Owned {
  const tasks = new Map<string, OwnedTask>();
  let scheduled = false;

  const begin = (owned: OwnedTask, prepared: PreparedCommit): Planned => {
    current(owned, prepared.task!);
    owned.scope ??= beginLog(layout, prepared, facts);
    owned.file ??= io.open(layout.taskLog(prepared.task!), 'r+');
    owned.fence.assertNewest();
    const planned = planCommit(owned.scope!, prepared, facts);
    if (prepared.blobs?.length) unsynced.mark(prepared.task!, owned.fence.number, owned.scope!.number);
    appendFrame(owned.scope!, owned.file, planned.bytes, roomFor(owned.scope!));
    return planned;
  };

  const finish = (owned: OwnedTask, planned: Planned, { prepared, resolve }: WaitingCommit): void => {
    try {
      owned.fence.assertHeld(owned.file!);
    } catch (error) {
      // On the disk, but not to be acknowledged: the next line still belongs behind it.
      if (error instanceof IoError) remember(owned, planned, prepared);
      throw error;
    }
    remember(owned, planned, prepared);
    resolve(planned.receipt);
  };

  const remember = (owned: OwnedTask, planned: Planned, { task, blobs }: PreparedCommit): void => {
    noteUnseen(owned.scope!, planned.frame.frame);
    applyPlanned(owned.scope!, planned);
    owned.behind = true;
    if (blobs?.length) showBlobs(owned, task!, blobs, planned);
    flushSoon();
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

  const commitBesideOthers = (owned: OwnedTask, next: WaitingCommit): Promise<void> | null => {
    try {
      const planned = guard.write(() => begin(owned, next.prepared));
      return io
        .fdatasyncAsync(owned.file!)
        .then(() => finish(owned, planned, next))
        .catch((error) => {
          guard.noteFailure(error);
          next.reject(error);
        });
    } catch (error) {
      next.reject(error);
      return null;
    }
  };

  const { enqueue, inTurn } = createTurns(commitNow, commitBesideOthers);

  /** Their bytes leave the log when they are a large part of it. */
  const showBlobs = (owned: OwnedTask, task: string, blobs: readonly NamedBlob[], planned: Planned): void => {
    unsynced.show(task, blobs, planned.frame.frame.number);
    owned.ofBlobs += blobs.reduce((sum, { bytes }) => sum + Math.ceil(bytes.length / 3) * 4, 0);
    if (owned.ofBlobs < MOST_OF_BLOBS || owned.ofBlobs * MOST_PART < owned.scope!.end) return;
    owned.ofBlobs = 0;
    rewrite(task, () => guard.write(() => compactTask(layout, task, 'cut entries'))).catch(() => {}); // It only saves room.
  };

  const flushSoon = (): void => {
    if (!scheduled) setTimeout(flushBehind, FLUSH_AFTER_MS).unref();
    scheduled = true;
  };

  const flushBehind = (): void => {
    scheduled = false;
    for (const [task, owned] of tasks) {
      unsynced.sync(task).catch(() => {}); // The log has them; it is tried again.
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

  const owned = (task: string): OwnedTask => {
    const found = tasks.get(task);
    if (found) return found;
    throw notOwned(task);
  };

  const current = (target: OwnedTask, task: string): Scope | null => {
    if (target.scope === undefined) target.scope = loadScope(layout, task);
    return target.scope;
  };

  const rewrite: Owned['rewrite'] = async (task, run) => {
    const target = owned(task);
    target.isRewritten = true;
    try {
      await inTurn(target, () => {});
      await unsynced.sync(task);
      return await inTurn(target, () => {
        if (target.file) target.fence.assertHeld(target.file);
        if (target.file) io.close(target.file);
        target.file = null;
        // However it ends, the state in memory is out of date.
        target.behind = false;
        target.scope = undefined;
        return run();
      });
    } finally {
      target.isRewritten = false;
    }
  };

  return {
    add(task, number) {
      const { dir, name } = layout.fence(task);
      const fence = raiseFence(dir, task, name, number);
      try {
        const scope = loadUnlessDamaged(layout, task);
        const behind = scope ? recallViews(layout, scope) : false;
        tasks.set(task, {
          scope,
          fence,
          behind,
          isRewritten: false,
          ofBlobs: 0,
          file: null,
          queue: [],
          syncing: null,
        });
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
    bringsBlobs(task) {
      const target = owned(task);
      return !target.isRewritten && (current(target, task)?.version ?? WITH_BLOBS) >= WITH_BLOBS;
    },
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

    rewrite,

    async remove(task) {
      const target = tasks.get(task);
      if (!target) return;
      tasks.delete(task);
      await inTurn(target, () => {});
      await unsynced.end(task).catch(() => {}); // The mark stays: the next process makes the files from the log.
      await inTurn(target, () => {
        try {
          showViews(target);
        } finally {
          if (target.file) closeLog(target.scope, target.file, target.fence.isNewest);
          target.fence.release();
        }
      });
    },

    async flush() {
      for (const [task, target] of tasks) {
        await unsynced.sync(task);
        showViews(target);
      }
    },
  };
}
