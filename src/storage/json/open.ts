/**
 * The JSON back end: one log per task and one for the records outside tasks, with every record also as a readable file.
 * Several processes may work in one directory: the owner of a task writes its log without locking; others write in turn,
 * under the store's lock.
 */
import { CorruptError } from '../../errors.ts';
import { replaceFile } from '../../system/files.ts';
import * as io from '../../system/io.ts';
import { openLocks } from '../../system/locks/locks.ts';
import { takeTurn } from '../../system/turn.ts';
import type { Backend, Claim, EntryText, JournalRange, Listing, NamedBlob } from '../backend.ts';
import { START } from '../chain.ts';
import type { Storage } from '../contract.ts';
import { createStorage } from '../create.ts';
import { taskOfRecord } from '../keys.ts';
import { pageOf } from '../page.ts';
import { jsonFiles } from '../store-files.ts';
import { createLog } from './append.ts';
import { deleteBlobs, getBlob, listBlobs, putBlobs, putStale, renewBlobs } from './blobs.ts';
import { changesIn } from './changes.ts';
import { compactTask } from './compact.ts';
import { createGuard } from './guard.ts';
import { endBehindDamage, gapsBeforeDamage, LogReplaced, readJournal } from './journal.ts';
import type { Layout } from './layout.ts';
import { compactAll } from './leftovers.ts';
import { categoriesIn, isTask, keysOfTask, keysOutside, sizeOfStore, taskIds } from './list.ts';
import { createOwned } from './owned.ts';
import { readRecord, revisionOf } from './records.ts';
import { repairLog } from './repair.ts';
import { emptyTrash, openRoot, raiseFloor, removeTaskFiles } from './root.ts';
import { damagedScope, loadScope, type Scope } from './scope.ts';
import { createShared } from './shared.ts';
import { createUnowned } from './unowned.ts';
import { createUnsynced, partBlobs, settleUnsynced } from './unsynced.ts';
import { verifyStore } from './verify.ts';

export interface JsonStorageOptions {
  /** The directory; created if missing. */
  readonly root: string;
  /** Work on a network file system, where locks and syncs may not hold. Default: off. */
  readonly allow_network?: boolean;
}

export async function openJsonStorage(options: JsonStorageOptions): Promise<Storage> {
  return createStorage(await openJson(options));
}

async function openJson(options: JsonStorageOptions): Promise<Backend> {
  const layout = openRoot(options.root, options.allow_network ?? false);
  const locks = await openLocks(layout.locksDir);
  const guard = createGuard(layout.root);
  const facts = {
    revision: (scope: Scope, category: string, key: string) => revisionOf(layout, scope, category, key),
    location: (category: string, key: string) => layout.recordFile(category, key),
  };
  const unsynced = createUnsynced(layout, guard);
  const owned = createOwned(layout, guard, facts, unsynced);
  const isOwned = (task: string): boolean => locks.owner(task) !== null;
  const shared = createShared(layout, guard, locks, facts);
  const unowned = createUnowned(layout);
  await locks.exclusively('', () => {
    prepareRoot(layout);
    settleUnsynced(layout, isOwned);
  });

  /** What a process that died has left in the log of a task only. */
  const settle = (task: string): void => settleUnsynced(layout, owned.has, task);

  const scopeOf = (task: string | null): Scope | null => {
    if (task === null) return shared.scope();
    return owned.has(task) ? owned.scope(task) : unowned.scope(task);
  };

  /** Intact records of a task can be read even if its log is damaged. */
  const unlessDamaged = <T>(task: string | null, read: (scope: Scope | null) => T): T => {
    try {
      return read(scopeOf(task));
    } catch (error) {
      if (task === null || !(error instanceof CorruptError)) throw error;
      return read(damagedScope(layout, task, error));
    }
  };

  /** Excludes all other calls of this, in any process. */
  const alone = <T>(run: () => T): Promise<T> => locks.exclusively('', () => guard.write(run));

  /** Runs something that rewrites a task's files: as its owner, or in turn if it has none. */
  const rewriting = async <T>(task: string, fence: number | undefined, run: () => T): Promise<T> => {
    guard.assertSound();
    if (fence === undefined)
      return locks.exclusively(task, () =>
        guard.write(() => {
          settle(task);
          return run();
        }),
      );
    locks.assertHeld(task, fence);
    return owned.rewrite(task, () => guard.write(run));
  };

  const namesIn = (list: Listing, prefix: string | undefined): string[] => {
    if (list === 'tasks') return taskIds(layout);
    if (list === 'categories') return categoriesIn(layout, shared.scope());
    if (list.category !== 'tasks') return keysOutside(layout, shared.scope(), list.category);
    const slash = prefix?.indexOf('/') ?? -1;
    const tasks = slash > 0 ? [prefix!.slice(0, slash)] : taskIds(layout);
    return tasks.flatMap((task) => unlessDamaged(task, (scope) => keysOfTask(layout, scope)));
  };

  async function* read(task: string, range: JournalRange): AsyncGenerator<EntryText[]> {
    const path = layout.taskLog(task);
    const found = endOfJournal(() => scopeOf(task));
    if (!found.damage) {
      if (!found.scope) return;
      const { end, gaps, logId } = found.scope;
      try {
        yield* readJournal({ path, logId, end, gaps }, range);
      } catch (error) {
        if (!(error instanceof LogReplaced)) throw error;
        yield* read(task, range); // Nothing was yielded yet.
      }
      return;
    }
    const { from = 1, to = Number.MAX_SAFE_INTEGER, limit = Number.MAX_SAFE_INTEGER, reverse } = range;
    const log = reverse
      ? endBehindDamage(path)
      : { path, logId: null, end: Number.MAX_SAFE_INTEGER, gaps: gapsBeforeDamage(path) };
    let [last, count] = [reverse ? Number.MAX_SAFE_INTEGER : 0, 0];
    for (const entries of readJournal(log, range)) {
      yield entries;
      [last, count] = [entries.at(-1)!.seq, count + entries.length];
    }
    const isReached = reverse ? last <= from : last >= to;
    if (!isReached && count < limit) throw found.damage; // Else all that was asked for lies on this side of it.
  }

  const storeBlobs = async (task: string | null, blobs: readonly NamedBlob[]): Promise<void> => {
    const stale = await putBlobs(layout, task, blobs).catch((error) => {
      guard.noteFailure(error);
      throw error;
    });
    if (stale.length > 0) await alone(() => putStale(layout, task, stale));
  };

  /** A damaged task is claimed like any other, in order to be repaired. */
  const fenceOf = (task: string): number => {
    try {
      return loadScope(layout, task)?.fence ?? 0;
    } catch (error) {
      if (!(error instanceof CorruptError)) throw error;
      return damagedScope(layout, task, error).fence;
    }
  };

  const claim = async (task: string): Promise<Claim> => {
    guard.assertSound();
    const lock = await locks.claim(task, fenceOf(task));
    try {
      guard.write(() => settle(task));
      owned.add(task, lock.fence);
    } catch (error) {
      await lock.release();
      throw error;
    }
    const release = async (): Promise<void> => {
      if (!owned.has(task)) return;
      try {
        await owned.remove(task);
      } finally {
        await lock.release();
      }
    };
    const lost = new AbortController();
    const live = (): boolean => owned.live(task, lock.fence, lost);
    return { task, fence: lock.fence, lost: lost.signal, live, release };
  };

  return {
    type: 'json',
    shared: false,
    commits_blobs: true,
    files: jsonFiles(layout.root),
    claim,
    read,

    async commit(prepared) {
      guard.assertSound();
      const { task, fence } = prepared;
      if (fence !== undefined) locks.assertHeld(task!, fence);
      const mayBring = fence !== undefined && owned.bringsBlobs(task!);
      const { brought, others } = partBlobs(layout, prepared.blobs ?? [], mayBring);
      if (others.length > 0) await storeBlobs(null, others);
      const commit = others.length > 0 ? { ...prepared, blobs: brought } : prepared;
      return fence === undefined ? shared.commit(commit) : owned.commit(commit);
    },
    async get(category, key) {
      await takeTurn();
      return unlessDamaged(
        taskOfRecord(category, key),
        (scope) => scope && readRecord(layout, scope, category, key),
      );
    },
    async page(list, query) {
      const accept = list === 'tasks' ? (task: string) => isTask(layout, task, owned) : undefined;
      return pageOf(namesIn(list, query.prefix), query, accept);
    },
    position: async (task) => scopeOf(task)?.position ?? START,
    owner: async (task) => locks.owner(task),

    async putBlobs(task, blobs) {
      guard.assertSound();
      await storeBlobs(task, blobs);
      await takeTurn();
    },
    async getBlob(task, id) {
      await takeTurn();
      const unshown = task === null ? unsynced.get(id) : undefined;
      return unshown ? Uint8Array.from(unshown) : getBlob(layout, task, id);
    },
    async *listBlobs(task) {
      yield* listBlobs(layout, task);
    },
    async renewBlobs(task, ids) {
      guard.assertSound();
      return alone(() => renewBlobs(layout, task, ids));
    },
    async deleteBlobs(task, ids, { stored_before }) {
      guard.assertSound();
      if (stored_before === undefined) return guard.write(() => deleteBlobs(layout, task, ids));
      return alone(() => deleteBlobs(layout, task, ids, stored_before));
    },

    async removeTask(task, fence) {
      const number = (await rewriting(task, fence, () => loadScope(layout, task)))?.number ?? 0;
      await locks.exclusively('', () => guard.write(() => raiseFloor(layout, number)));
      return rewriting(task, fence, () => removeTaskFiles(layout, task));
    },
    repair: async (task, fence) =>
      task === null ? shared.repair() : rewriting(task, fence, () => repairLog(layout, task)),
    async compact(task, fence) {
      guard.assertSound();
      if (task === null) return compactAll({ layout, shared, alone, rewriting });
      return rewriting(task, fence, () => compactTask(layout, task));
    },
    changes: (signal) => changesIn(layout, signal),
    size: async () => sizeOfStore(layout),
    flush: () => owned.flush(),
    async *verify(at) {
      yield* verifyStore(layout, at);
    },
    async close() {
      if (!guard.close()) return;
      const ends = owned.tasks().map((task) => owned.remove(task));
      const failed = (await Promise.allSettled(ends)).find((end) => end.status === 'rejected');
      try {
        await shared.close();
      } finally {
        await locks.close();
      }
      if (failed) throw failed.reason;
    },
  };
}

function prepareRoot(layout: Layout): void {
  emptyTrash(layout);
  if (io.lstat(layout.sharedLog)) return;
  // If there was one, an empty file marks the damage until it is repaired; the files of the records still exist.
  if (io.lstat(layout.sharedIndex)) replaceFile(layout.sharedLog, Buffer.alloc(0));
  else createLog(layout.sharedLog, null);
}

/** The scope, or the damage at its end: what is before it can still be read forward. */
function endOfJournal(load: () => Scope | null): { scope: Scope | null; damage?: CorruptError } {
  try {
    return { scope: load() };
  } catch (error) {
    if (error instanceof CorruptError) return { scope: null, damage: error };
    throw error;
  }
}
