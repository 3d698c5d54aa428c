/**
 * A store that takes no new work while everything in it is moved into another one. Whoever moves it writes the mark first
 * and then claims every task: so a task that is owned here, and that others can see, is looked after by its claim alone,
 * and nothing is asked for on its way. All else looks for the mark.
 */
import { OwnershipError, StaleWriteError } from '../errors.ts';
import { phrase } from '../phrase.ts';
import { copyBlobs } from './blob-names.ts';
import type { Claim, Commit, Page, Problem, Receipt, Storage } from './contract.ts';
import { MARK, MOVER, NOTE, readMark, readNote, refusal } from './moving-mark.ts';
import { checkedCommit, encodeCommit } from './prepare.ts';
import { recordVerbs } from './verbs.ts';

export function guardedStorage(store: Storage): Storage {
  /** Tasks owned here that whoever moves the store has to find owned. */
  const seen = new Set<string>();
  const writing = new Set<Promise<unknown>>();

  const refuseMarked = async (): Promise<void> => {
    const mark = await readMark(store);
    if (mark) throw refusal(mark);
  };

  /** A store that was left looks as if nothing had ever been there: whoever finds it so is told. */
  const unlessLeft = async (found: Page): Promise<Page> => {
    const mark = found.keys.length > 0 || seen.size > 0 ? null : await readMark(store);
    if (mark?.state === 'moved') throw refusal(mark);
    return found;
  };

  const page: Storage['page'] = async (category, query) => unlessLeft(await store.page(category, query));

  /** With a claim that is seen there is no move; it is not released before what relies on it is done. */
  const besideClaims = async <T>(run: () => Promise<T>, alone: () => Promise<T>): Promise<T> => {
    if (seen.size === 0) return alone();
    const done = run();
    writing.add(done);
    try {
      return await done;
    } finally {
      writing.delete(done);
    }
  };

  const unlessMarked = <T>(run: () => Promise<T>): Promise<T> =>
    besideClaims(run, async () => {
      await refuseMarked();
      return run();
    });

  const claim: Storage['claim'] = async (task) => {
    const held = await store.claim(task);
    try {
      await refuseMarked();
    } catch (error) {
      await held.release();
      throw error;
    }
    held.lost.addEventListener('abort', () => seen.delete(task), { once: true });
    return { ...held, release: () => release(held) };
  };

  const release = async (held: Claim): Promise<void> => {
    seen.delete(held.task);
    if (seen.size === 0) await Promise.allSettled(writing);
    await held.release();
  };

  const commit: Storage['commit'] = async (given) => {
    const task = given?.task ?? null;
    if (given?.fence === undefined) return commitUnclaimed(given);
    if (task === null || seen.has(task)) return store.commit(given);
    const receipt = await store.commit(given);
    await assertSeen(given, task, receipt);
    seen.add(task);
    return receipt;
  };

  /** Before a task's first commit nobody who moves the store can know of it: it counts only if nobody has begun since. */
  const assertSeen = async ({ fence, append }: Commit, task: string, { records }: Receipt): Promise<void> => {
    const mark = await readMark(store);
    if (!mark || (append?.after.seq ?? 0) > 0 || records.some(({ existed }) => existed)) return;
    const { seq } = await store.position(task);
    const { keys } = await store.page('tasks', { prefix: `${task}/`, limit: records.length + 1 });
    if (seq > (append?.entries.length ?? 0) || keys.length > records.length) return;
    try {
      await store.removeTask(task, fence === undefined ? {} : { fence });
    } catch (error) {
      if (error instanceof OwnershipError) return; // It was found, and is moved with the others.
      throw error;
    }
    throw refusal(mark);
  };

  const commitUnclaimed = (given: Commit): Promise<Receipt> =>
    besideClaims(
      () => store.commit(given),
      async () => {
        if (given?.task === null && Array.isArray(given.records)) return commitOutside(given);
        const kept = checkedCommit(encodeCommit(given)); // The caller may change it while the mark is looked for.
        await refuseMarked();
        const receipt = await store.commit(kept);
        if (typeof given.task === 'string') await assertSeen(given, given.task, receipt);
        return receipt;
      },
    );

  /** The absence of the mark is part of the commit. */
  const commitOutside = async (given: Commit): Promise<Receipt> => {
    const unmarked = { ...MARK, remove: true, expect: 0 } as const;
    try {
      const receipt = await store.commit({ ...given, records: [...given.records!, unmarked] });
      return { ...receipt, records: receipt.records.slice(0, -1) };
    } catch (error) {
      if (error instanceof StaleWriteError) await refuseMarked();
      throw error;
    }
  };

  const get: Storage['get'] = (category, key) => store.get(category, key);

  // One by one: a back end of somebody else's may be an instance of a class.
  return {
    type: store.type,
    shared: store.shared,
    ...(store.encrypted === undefined ? {} : { encrypted: store.encrypted }),
    get files() {
      return store.files;
    },
    ...recordVerbs({ commit, get, page }),
    categories: () => store.categories(),
    get,
    page,
    tasks: async (query) => unlessLeft(await store.tasks(query)),
    commit,
    position: (task) => store.position(task),
    read: (task, range) => store.read(task, range),
    getBlob: (task, id) => store.getBlob(task, id),
    listBlobs: (task) => store.listBlobs(task),
    claim,
    owner: (task) => store.owner(task),
    size: () => store.size(),
    flush: () => store.flush(),
    close: () => store.close(),
    putBlobs: async (task, blobs) => {
      const kept = seen.size === 0 ? copyBlobs(task, blobs) : blobs;
      return unlessMarked(() => store.putBlobs(task, kept));
    },
    renewBlobs: (task, ids) => unlessMarked(() => store.renewBlobs(task, ids)),
    deleteBlobs: (task, ids, options) => unlessMarked(() => store.deleteBlobs(task, ids, options)),
    removeTask: (task, options) => unlessMarked(() => store.removeTask(task, options)),
    compact: (task, options) => unlessMarked(() => store.compact(task, options)),
    repair: (task, options) => unlessMarked(() => store.repair(task, options)),
    async *verify(at) {
      yield* unfinished(store);
      yield* store.verify(at);
    },
  };
}

/** A move that was begun and is not done. */
async function* unfinished(store: Storage): AsyncGenerator<Problem> {
  const mark = await readMark(store);
  const note = await readNote(store);
  const words = mark ?? note;
  if (!words) return;
  const at = mark
    ? phrase`is being moved to ${mark.to}`
    : phrase`was moved from ${note!.from.value}, which is not empty yet`;
  const owner = await store.owner(MOVER);
  const who = owner
    ? phrase`by ${owner.holder}`
    : phrase`cut off: finish it with vibe-engine keys ${words.direction}`;
  const { category, key } = mark ? MARK : NOTE;
  yield {
    code: 'STORE_MOVING',
    message: phrase`What is stored here ${at} (${who}).`,
    task: null,
    where: `${category}/${key}`,
  };
}
