/**
 * A back end that encrypts everything: records, journal entries and blobs, each tied to its place. It wraps any other back
 * end, which sees only names and sizes, and keeps all its promises.
 */
import { StoreError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Backend, Claim } from '../backend.ts';
import { isoNow } from '../clock.ts';
import type { Storage } from '../contract.ts';
import { createStorage } from '../create.ts';
import { createPending } from '../pending.ts';
import { verifyByReading } from '../reading.ts';
import { openBlobs } from './blobs.ts';
import { openCommits } from './commits.ts';
import { openCuts } from './cuts.ts';
import { NO_END, openEnds } from './ends.ts';
import { assertFresh, lastStamps, restamp } from './freshness.ts';
import { openJournal } from './journal.ts';
import type { KeyProvider } from './key-provider.ts';
import { openKeyring } from './keyring.ts';
import { lock, newRootKey, type RootKey, readLocked, unlock } from './locked-key.ts';
import { KEYS, MOVED_FROM, ROOT } from './names.ts';
import { isOwnRecord } from './own-records.ts';
import { openRecords } from './records.ts';
import { openRemovals } from './removals.ts';
import { refuseKeys } from './reserved.ts';

export interface EncryptedStore extends Storage {
  /** Changes the user's key. Nothing else is written again, and processes that have the store open do not notice. */
  rotate(to: KeyProvider): Promise<void>;
}

/** Opens the store with its key; an empty store gets a new one. Closing it closes the inner store. */
export async function openEncryptedStorage(inner: Storage, provider: KeyProvider): Promise<EncryptedStore> {
  const storage = createStorage(sealedBackend(inner.backend, await rootKeyOf(inner, provider)));
  return Object.assign(storage, { rotate: (to: KeyProvider) => rotate(inner, provider, to) });
}

async function rotate(inner: Storage, from: KeyProvider, to: KeyProvider): Promise<void> {
  const there = await inner.get(KEYS, ROOT);
  const { store, secret } = await unlock(readLocked(there?.data), from);
  const data = await lock({ store, secret }, to, new Date());
  const write = { category: KEYS, key: ROOT, data, expect: there!.revision };
  await inner.commit({ task: null, records: [write] });
}

/** Whether the store is an encrypted one. */
async function isEncrypted(inner: Storage): Promise<boolean> {
  return (await inner.get(KEYS, ROOT)) !== null;
}

async function rootKeyOf(inner: Storage, provider: KeyProvider): Promise<RootKey> {
  const unlockThere = async (): Promise<RootKey | null> => {
    const there = await inner.get(KEYS, ROOT);
    return there && unlock(readLocked(there.data), provider);
  };
  const known = await unlockThere();
  if (known) return known;
  // Another process may have initialised it in the meantime.
  if (!(await isEmpty(inner))) {
    const meanwhile = await unlockThere();
    if (!meanwhile) throw filled(inner);
    return meanwhile;
  }
  const root = newRootKey();
  const data = await lock(root, provider, new Date(isoNow()));
  try {
    await inner.commit({ task: null, records: [{ category: KEYS, key: ROOT, data, expect: 0 }] });
    return root;
  } catch (error) {
    const meanwhile = await unlockThere();
    if (!meanwhile) throw error;
    return meanwhile;
  }
}

function sealedBackend(inner: Backend, root: RootKey): Backend {
  /** The store below, for operations that need no decryption. */
  const plain = createStorage(inner);
  const keyring = openKeyring(inner, root);
  const records = openRecords(inner, keyring);
  const cuts = openCuts(records);
  const journal = openJournal(inner, keyring, cuts);
  const removals = openRemovals(records);
  const ends = openEnds(inner, journal, cuts);
  const fresh = (task: string) => assertFresh({ plain, journal, records, removals, ends }, task);
  const commits = openCommits({
    inner,
    keyring,
    records,
    cuts,
    removals,
    ends,
    lastStamps: (task) => lastStamps(journal, task),
  });

  const blobs = openBlobs(inner, plain, keyring, commits.isHeld);
  const pending = createPending();

  const claim = async (task: string): Promise<Claim> => {
    const below = await inner.claim(task);
    try {
      keyring.refresh(task);
      const held = await fresh(task);
      commits.hold(task, held);
      const release = async () => {
        commits.letGo(task, held);
        await below.release();
      };
      return { task, fence: below.fence, lost: below.lost, live: () => below.live(), release };
    } catch (error) {
      await below.release();
      throw error;
    }
  };

  const removeTask = async (task: string, fence: number | undefined): Promise<boolean> => {
    if (!(await keyring.has(task))) return inner.removeTask(task, fence);
    // No other process may create it again with its old key until that is removed, too.
    const own = fence === undefined ? await inner.claim(task) : null;
    try {
      const removed = await inner.removeTask(task, own?.fence ?? fence);
      await keyring.remove(task);
      await commits.rehold(task, async () => ({ stamps: {}, end: NO_END }));
      return removed;
    } finally {
      await own?.release();
    }
  };

  const backend: Backend = {
    get type() {
      return inner.type;
    },
    get shared() {
      return inner.shared;
    },
    encrypted: true,
    get commits_blobs() {
      return inner.commits_blobs;
    },
    get files() {
      return inner.files;
    },
    commit: (commit) => pending.track(commits.commit(commit)),
    async get(category, key) {
      refuseKeys(category, key);
      return records.get(category, key);
    },
    async page(list, query) {
      if (list === 'tasks') return inner.page(list, query);
      if (list !== 'categories') refuseKeys(list.category);
      const page = await inner.page(list, query);
      const isShown = (name: string) =>
        list === 'categories' ? name !== KEYS : !isOwnRecord(list.category, name);
      return { ...page, keys: page.keys.filter(isShown) };
    },
    position: async (task) => (await ends.find(task)).outer,
    read: journal.read,
    ...blobs,
    putBlobs: (task, given) => pending.track(blobs.putBlobs(task, given)),
    claim: (task) => pending.track(claim(task)),
    owner: (task) => inner.owner(task),
    removeTask: (task, fence) => pending.track(removeTask(task, fence)),
    compact: (task, fence) => plain.compact(task, { fence }),
    async repair(task, fence) {
      const repair = await plain.repair(task, { fence });
      if (task === null) return repair;
      // Also if nothing is damaged: an earlier repair may have been interrupted here.
      const { seq: end } = repair?.kept ?? (await inner.position(task));
      await restamp(inner, plain, records, keyring, { task, end, fence });
      if (!repair) return null;
      await commits.rehold(task, () => fresh(task));
      return { ...repair, kept: await ends.outerOf(task, repair.kept) };
    },
    changes: (signal) => plain.changes(signal),
    size: () => plain.size(),
    flush: () => plain.flush(),
    /** Checks that need the key, after those of the store below. */
    async *verify(at) {
      const damaged = new Set<string | null>();
      for await (const problem of plain.verify(at)) {
        if (problem.code !== 'STORE_MOVING') damaged.add(problem.task);
        yield problem;
      }
      const isChecked = (task: string | null) => damaged.has(task);
      yield* verifyByReading(createStorage(backend), at, {
        isChecked,
        alsoCheck: fresh,
        journal: 'sealed entries', // Not what the inner store could repair: it has found nothing wrong.
      });
    },
    close: async () => {
      await pending.settled();
      await inner.close();
    },
  };
  return backend;
}

async function isEmpty(inner: Storage): Promise<boolean> {
  if ((await inner.tasks({ limit: 1 })).keys.length > 0) return false;
  if ((await inner.categories()).some((category) => category !== KEYS)) return false;
  // Only a migration to this store has been here before.
  if ((await inner.list(KEYS)).some((key) => key !== MOVED_FROM)) return false;
  for await (const _ of inner.listBlobs(null)) return false;
  return true;
}

/** STORE_NOT_ENCRYPTED if it holds unencrypted data: it cannot be given a key. */
export async function refuseFilled(inner: Storage): Promise<void> {
  if (!(await isEmpty(inner)) && !(await isEncrypted(inner))) throw filled(inner);
}

function filled(inner: Storage): StoreError {
  return new StoreError('STORE_NOT_ENCRYPTED', phrase`This store is not encrypted, and it is not empty.`, {
    data: { type: inner.type },
    hint: phrase`Encrypt it: vibe-engine keys encrypt. Or turn encryption off. Nothing was changed.`,
  });
}
