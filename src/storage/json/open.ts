/**
 * The JSON back end: one log per task and one for the records outside tasks, with every record also as a readable file.
 * Several processes may work in one directory: the owner of a task writes its log without asking; everyone else
 * writes in turn, under the store's lock.
 */
import { CorruptError } from '../../errors.ts';
import { replaceFile } from '../../system/files.ts';
import * as io from '../../system/io.ts';
import { openLocks } from '../../system/locks/locks.ts';
import { takeTurn } from '../../system/turn.ts';
import { START } from '../chain.ts';
import type { JournalEntry, JournalRange, Storage } from '../contract.ts';
import { assertBlobId, assertBlobs, assertCategory, assertKey, assertTask, taskOfRecord } from '../keys.ts';
import { pageOf } from '../page.ts';
import { prepareCommit } from '../prepare.ts';
import { assertDeletion, assertPageQuery, assertRange } from '../query.ts';
import { decode } from '../serialize.ts';
import { jsonFiles } from '../store-files.ts';
import { recordVerbs } from '../verbs.ts';
import { createLog } from './append.ts';
import { deleteBlobs, getBlob, listBlobs, putBlobs, renewBlobs } from './blobs.ts';
import { compactTask } from './compact.ts';
import { raiseFloor } from './floor.ts';
import { createGuard } from './guard.ts';
import { gapsBeforeDamage, LogReplaced, readJournal } from './journal.ts';
import type { Layout } from './layout.ts';
import { compactAll } from './leftovers.ts';
import { categoriesIn, keysOfTask, keysOutside, pageTasks, taskIds } from './list.ts';
import { createOwned } from './owned.ts';
import { readRecord, revisionOf } from './records.ts';
import { repairLog } from './repair.ts';
import { emptyTrash, openRoot, removeTaskFiles } from './root.ts';
import { damagedScope, loadScope, type Scope } from './scope.ts';
import { createShared } from './shared.ts';
import { sizeOfStore } from './size.ts';
import { verifyStore } from './verify.ts';

export interface JsonStorageOptions {
  /** The directory; made when it is not there. */
  readonly root: string;
  /** Work on a network file system, where locks and syncs may not hold. Off unless told. */
  readonly allow_network?: boolean;
}

export async function openJsonStorage(options: JsonStorageOptions): Promise<Storage> {
  const layout = openRoot(options.root, options.allow_network ?? false);
  const locks = await openLocks(layout.locksDir);
  const guard = createGuard(layout.root);
  const facts = {
    revision: (scope: Scope, category: string, key: string) => revisionOf(layout, scope, category, key),
    location: (category: string, key: string) => layout.recordFile(category, key),
  };
  const owned = createOwned(layout, guard, facts);
  const shared = createShared(layout, guard, locks, facts);
  await locks.exclusively('', () => prepareRoot(layout));

  const scopeOf = (task: string | null): Scope | null => {
    guard.assertOpen();
    if (task === null) return shared.scope();
    return owned.has(task) ? owned.scope(task) : loadScope(layout, task);
  };

  /** Of a task, records that are whole are handed out, whatever is wrong with its log. */
  const unlessDamaged = <T>(task: string | null, read: (scope: Scope | null) => T): T => {
    try {
      return read(scopeOf(task));
    } catch (error) {
      if (task === null || !(error instanceof CorruptError)) throw error;
      return read(damagedScope(layout, task, error));
    }
  };
  const readWhole = (task: string | null, category: string, key: string) =>
    unlessDamaged(task, (scope) => scope && readRecord(layout, scope, category, key));

  /** While nobody else, in whichever process, does something of the kind. */
  const alone = <T>(run: () => T): Promise<T> => locks.exclusively('', () => guard.write(run));

  /** Runs something that rewrites a task's files: by its owner, or in turn when it has none. */
  const rewriting = async <T>(task: string, fence: number | undefined, run: () => T): Promise<T> => {
    assertTask(task);
    guard.assertWritable();
    if (fence === undefined) return locks.exclusively(task, () => guard.write(run));
    locks.assertHeld(task, fence);
    return owned.rewrite(task, () => guard.write(run));
  };

  const commit: Storage['commit'] = async (given) => {
    const prepared = prepareCommit(given);
    guard.assertWritable();
    if (prepared.fence !== undefined) locks.assertHeld(prepared.task!, prepared.fence);
    if (prepared.fence === undefined) return shared.commit(prepared);
    return owned.commit(prepared);
  };

  const get: Storage['get'] = async (category, key) => {
    await takeTurn();
    assertCategory(category);
    assertKey(key);
    const view = readWhole(taskOfRecord(category, key), category, key);
    return view && { data: decode(view.text), revision: view.revision, updated_at: view.updated_at };
  };

  const page: Storage['page'] = async (category, query = {}) => {
    assertCategory(category);
    assertPageQuery(query);
    guard.assertOpen();
    if (category !== 'tasks') return pageOf(keysOutside(layout, shared.scope(), category), query);
    const slash = query.prefix?.indexOf('/') ?? -1;
    const tasks = slash > 0 ? [query.prefix!.slice(0, slash)] : taskIds(layout);
    return pageOf(
      tasks.flatMap((task) => unlessDamaged(task, (scope) => keysOfTask(layout, scope))),
      query,
    );
  };

  async function* read(task: string, range: JournalRange = {}): AsyncGenerator<JournalEntry> {
    assertTask(task);
    assertRange(range);
    const path = layout.taskLog(task);
    const found = endOfJournal(() => scopeOf(task));
    if (!found.damage) {
      if (!found.scope) return;
      const { end, gaps, logId } = found.scope;
      try {
        for (const entry of readJournal({ path, logId, end, gaps }, range)) yield entry;
      } catch (error) {
        if (!(error instanceof LogReplaced)) throw error;
        yield* read(task, range); // Nothing was yielded yet.
      }
      return;
    }
    if (range.reverse) throw found.damage;
    const { to = Number.MAX_SAFE_INTEGER, limit = Number.MAX_SAFE_INTEGER } = range;
    const log = { path, logId: null, end: Number.MAX_SAFE_INTEGER, gaps: gapsBeforeDamage(path) };
    let [last, count] = [0, 0];
    for (const entry of readJournal(log, range)) {
      yield entry;
      [last, count] = [entry.seq, count + 1];
    }
    if (last < to && count < limit) throw found.damage; // Else all that was asked for lies before it.
  }

  /** A damaged task is claimed like any other, in order to be repaired. */
  const fenceOf = (task: string): number => {
    try {
      return loadScope(layout, task)?.fence ?? 0;
    } catch (error) {
      if (!(error instanceof CorruptError)) throw error;
      return damagedScope(layout, task, error).fence;
    }
  };

  const claim: Storage['claim'] = async (task) => {
    assertTask(task);
    guard.assertWritable();
    const lock = await locks.claim(task, fenceOf(task));
    try {
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
    files: jsonFiles(layout.root),
    ...recordVerbs({ commit, get, page }),
    commit,
    get,
    page,
    read,
    claim,

    async categories() {
      guard.assertOpen();
      return categoriesIn(layout, shared.scope());
    },
    async tasks(query = {}) {
      assertPageQuery(query);
      guard.assertOpen();
      return pageTasks(layout, query, owned);
    },
    async position(task) {
      assertTask(task);
      return scopeOf(task)?.position ?? START;
    },
    async owner(task) {
      assertTask(task);
      guard.assertOpen();
      return locks.owner(task);
    },

    async putBlobs(task, blobs) {
      if (task !== null) assertTask(task);
      assertBlobs(blobs);
      guard.assertWritable();
      const { ids, stale } = guard.write(() => putBlobs(layout, task, blobs, false));
      if (stale.length > 0) await alone(() => putBlobs(layout, task, stale, true));
      await takeTurn();
      return ids;
    },
    async getBlob(task, id) {
      await takeTurn();
      if (task !== null) assertTask(task);
      assertBlobId(id);
      guard.assertOpen();
      return getBlob(layout, task, id);
    },
    async *listBlobs(task) {
      if (task !== null) assertTask(task);
      guard.assertOpen();
      yield* listBlobs(layout, task);
    },
    async renewBlobs(task, ids) {
      if (task !== null) assertTask(task);
      for (const id of ids) assertBlobId(id);
      guard.assertWritable();
      return alone(() => renewBlobs(layout, task, ids));
    },
    async deleteBlobs(task, ids, options = {}) {
      if (task !== null) assertTask(task);
      for (const id of ids) assertBlobId(id);
      assertDeletion(options);
      const { stored_before } = options;
      guard.assertWritable();
      if (stored_before === undefined) return guard.write(() => deleteBlobs(layout, task, ids));
      return alone(() => deleteBlobs(layout, task, ids, stored_before));
    },

    removeTask: async (task, { fence } = {}) => {
      const number = (await rewriting(task, fence, () => loadScope(layout, task)))?.number ?? 0;
      await locks.exclusively('', () => guard.write(() => raiseFloor(layout, number)));
      return rewriting(task, fence, () => removeTaskFiles(layout, task));
    },
    repair: async (task, { fence } = {}) =>
      task === null ? shared.repair() : rewriting(task, fence, () => repairLog(layout, task)),
    compact: async (task, { fence } = {}) => {
      guard.assertWritable();
      if (task === null) return compactAll({ layout, shared, alone, rewriting });
      return rewriting(task, fence, () => compactTask(layout, task));
    },
    async size() {
      guard.assertOpen();
      return sizeOfStore(layout);
    },
    async flush() {
      guard.assertOpen();
      await owned.flush();
    },
    async *verify(at) {
      guard.assertOpen();
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
  // Where there was one, an empty file stands for the damage until it is repaired; the records' own files are still there.
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
