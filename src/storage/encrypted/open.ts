/**
 * A back end in which everything is sealed: records, journal entries, blobs, each tied to its place. It wraps any other one,
 * which sees names and sizes only, and keeps all that the other promises.
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
  /** Locks the store with another key. Nothing else is written anew, and nobody who has it open notices. */
  rotate(to: KeyProvider): Promise<void>;
}

/** Opens the store with its key; one in which nothing is yet is given one. Closes the inner store when it is closed. */
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
export async function isEncrypted(inner: Storage): Promise<boolean> {
  return (await inner.get(KEYS, ROOT)) !== null;
}

async function rootKeyOf(inner: Storage, provider: KeyProvider): Promise<RootKey> {
  const unlockThere = async (): Promise<RootKey | null> => {
    const there = await inner.get(KEYS, ROOT);
    return there && unlock(readLocked(there.data), provider);
  };
  const known = await unlockThere();
  if (known) return known;
  // What is in it may be of somebody who has begun it meanwhile.
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
  /** What lies below, for all that is not read or written as it is. */
  const plain = createStorage(inner);
  const keyring = openKeyring(inner, root);
  const records = openRecords(inner, keyring);
  const cuts = openCuts(records);
  const journal = openJournal(inner, keyring, cuts);
  const removals = openRemovals(records);
  const ends = openEnds(inner, journal, cuts);
  const fresh = (task: string) => assertFresh({ plain, journal, records, removals, ends }, task);
  const commits = openCommits({
    ...{ inner, keyring, records, cuts, removals, ends },
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
    // Nobody else may make it again, with its old key, until that is gone too.
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
    position: async (task) => (await ends.find(task)).told,
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
      // Also where nothing is damaged: whoever repaired it before may have been cut off here.
      const { seq: end } = repair?.kept ?? (await inner.position(task));
      await restamp(inner, plain, records, keyring, { task, end, fence });
      if (!repair) return null;
      await commits.rehold(task, () => fresh(task));
      return { ...repair, kept: await ends.told(task, repair.kept) };
    },
    size: () => plain.size(),
    flush: () => plain.flush(),
    /** What only the key can tell, after what the store below finds without it. */
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
  // Only whoever moves a store here has been here before.
  if ((await inner.list(KEYS)).some((key) => key !== MOVED_FROM)) return false;
  for await (const _ of inner.listBlobs(null)) return false;
  return true;
}

/** STORE_NOT_ENCRYPTED where there is something that is not sealed: it cannot be given a key. */
export async function refuseFilled(inner: Storage): Promise<void> {
  if (!(await isEmpty(inner)) && !(await isEncrypted(inner))) throw filled(inner);
}

function filled(inner: Storage): StoreError {
  return new StoreError(
    'STORE_NOT_ENCRYPTED',
    phrase`This store is not encrypted, and there is something in it.`,
    {
      data: { type: inner.type },
      hint: phrase`Encrypt what is in it: vibe-engine keys encrypt. Or switch encryption off. Nothing was changed.`,
    },
  );
}
