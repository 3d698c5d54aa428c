/**
 * A back end that accepts no new work while everything in it is being moved to another one. The mover writes the mark first
 * and then claims every task: so a task that is owned here, and visible to others, is protected by its claim alone and needs
 * no extra reads. All other calls check the mark.
 */
import { OwnershipError, StaleWriteError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Backend, Claim, Page, PreparedCommit, Problem, Receipt } from '../backend.ts';
import { copyBlobs } from '../blob-names.ts';
import type { Storage } from '../contract.ts';
import { createStorage } from '../create.ts';
import { createPending } from '../pending.ts';
import { MARK, MOVER, NOTE, readMark, readNote, refusal } from './mark.ts';

export function guardedBackend(inner: Backend): Backend {
  const store = createStorage(inner);
  /** Tasks owned here that a mover is sure to find owned. */
  const seen = new Set<string>();
  const pending = createPending();

  const refuseMarked = async (): Promise<void> => {
    const mark = await readMark(store);
    if (mark) throw refusal(mark);
  };

  /** A store that was moved away looks empty: a caller that finds it empty gets an error. */
  const unlessLeft = async (found: Page): Promise<Page> => {
    const mark = found.keys.length > 0 || seen.size > 0 ? null : await readMark(store);
    if (mark?.state === 'moved') throw refusal(mark);
    return found;
  };

  /** A visible claim prevents a move; it is not released before the calls that rely on it are done. */
  const besideClaims = <T>(run: () => Promise<T>, alone: () => Promise<T>): Promise<T> =>
    pending.track(seen.size === 0 ? alone() : run());

  const unlessMarked = <T>(run: () => Promise<T>): Promise<T> =>
    besideClaims(run, async () => {
      await refuseMarked();
      return run();
    });

  const claim = async (task: string): Promise<Claim> => {
    const held = await inner.claim(task);
    try {
      await refuseMarked();
    } catch (error) {
      await held.release();
      throw error;
    }
    const { fence, lost } = held;
    lost.addEventListener('abort', () => seen.delete(task), { once: true });
    return { task, fence, lost, live: () => held.live(), release: () => release(held) };
  };

  const release = async (held: Claim): Promise<void> => {
    seen.delete(held.task);
    if (seen.size === 0) await pending.settled();
    await held.release();
  };

  const commitFirst = async (commit: PreparedCommit, task: string): Promise<Receipt> => {
    const receipt = await inner.commit(commit);
    await assertSeen(commit, task, receipt);
    seen.add(task);
    return receipt;
  };

  /** Before its first commit a mover cannot know of a task: the commit counts only if no move has started since. */
  const assertSeen = async (commit: PreparedCommit, task: string, receipt: Receipt): Promise<void> => {
    const { fence, append } = commit;
    const { records } = receipt;
    const mark = await readMark(store);
    if (!mark || (append?.after.seq ?? 0) > 0 || records.some(({ existed }) => existed)) return;
    const { seq } = await inner.position(task);
    const { keys } = await store.page('tasks', { prefix: `${task}/`, limit: records.length + 1 });
    if (seq > (append?.entries.length ?? 0) || keys.length > records.length) return;
    try {
      await inner.removeTask(task, fence);
    } catch (error) {
      if (error instanceof OwnershipError) return; // It was found, and is moved with the others.
      throw error;
    }
    throw refusal(mark);
  };

  const commitUnclaimed = (commit: PreparedCommit): Promise<Receipt> =>
    besideClaims(
      () => inner.commit(commit),
      async () => {
        if (commit.task === null) return commitOutside(commit);
        await refuseMarked();
        const receipt = await inner.commit(commit);
        await assertSeen(commit, commit.task, receipt);
        return receipt;
      },
    );

  /** The absence of the mark is part of the commit. */
  const commitOutside = async (commit: PreparedCommit): Promise<Receipt> => {
    const unmarked = { ...MARK, text: null, expect: 0 };
    try {
      const receipt = await inner.commit({ ...commit, records: [...commit.records, unmarked] });
      return { ...receipt, records: receipt.records.slice(0, -1) };
    } catch (error) {
      if (error instanceof StaleWriteError) await refuseMarked();
      throw error;
    }
  };

  // Listed one by one: a user's back end may be an instance of a class.
  return {
    get type() {
      return inner.type;
    },
    get shared() {
      return inner.shared;
    },
    get encrypted() {
      return inner.encrypted;
    },
    get commits_blobs() {
      return inner.commits_blobs;
    },
    get files() {
      return inner.files;
    },
    commit(commit) {
      const { task, fence } = commit;
      if (fence === undefined) return commitUnclaimed(commit);
      return task === null || seen.has(task)
        ? inner.commit(commit)
        : pending.track(commitFirst(commit, task));
    },
    get: (category, key) => inner.get(category, key),
    page: async (list, query) => {
      const found = await inner.page(list, query);
      return list === 'categories' ? found : unlessLeft(found);
    },
    position: (task) => inner.position(task),
    read: (task, range) => inner.read(task, range),
    putBlobs: (task, blobs) => {
      const kept = seen.size === 0 ? copyBlobs(blobs) : blobs;
      return unlessMarked(() => inner.putBlobs(task, kept));
    },
    getBlob: (task, id) => inner.getBlob(task, id),
    listBlobs: (task) => inner.listBlobs(task),
    renewBlobs: (task, ids) => unlessMarked(() => store.renewBlobs(task, ids)),
    deleteBlobs: (task, ids, options) => unlessMarked(() => inner.deleteBlobs(task, ids, options)),
    claim: (task) => pending.track(claim(task)),
    owner: (task) => inner.owner(task),
    removeTask: (task, fence) => unlessMarked(() => inner.removeTask(task, fence)),
    compact: (task, fence) => unlessMarked(() => store.compact(task, { fence })),
    repair: (task, fence) => unlessMarked(() => store.repair(task, { fence })),
    changes: (signal) => store.changes(signal),
    size: () => store.size(),
    flush: () => store.flush(),
    async *verify(at) {
      yield* unfinished(store);
      yield* store.verify(at);
    },
    close: async () => {
      await pending.settled();
      await inner.close();
    },
  };
}

/** A move that was started and is not finished. */
async function* unfinished(store: Storage): AsyncGenerator<Problem> {
  const mark = await readMark(store);
  const note = await readNote(store);
  const words = mark ?? note;
  if (!words) return;
  const at = mark
    ? phrase`is being moved to ${mark.to}`
    : phrase`was moved from ${note!.from.value}, which has not been emptied yet`;
  const owner = await store.owner(MOVER);
  const who = owner
    ? phrase`by ${owner.holder}`
    : phrase`interrupted: finish it with vibe-engine keys ${words.direction}`;
  const { category, key } = mark ? MARK : NOTE;
  yield {
    code: 'STORE_MOVING',
    message: phrase`What is stored here ${at} (${who}).`,
    task: null,
    where: `${category}/${key}`,
  };
}
