/**
 * A store in which everything is sealed: records, journal entries, blobs, each tied to its place. It wraps any other store,
 * which sees names and sizes only, and keeps all that the other promises.
 */
import { StoreError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { isoNow } from '../clock.ts';
import type { Storage } from '../contract.ts';
import { assertTask } from '../keys.ts';
import { recordVerbs } from '../verbs.ts';
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
import { verifySealed } from './verify.ts';

export interface EncryptedStore extends Storage {
  /** Locks the store with another key. Nothing else is written anew, and nobody who has it open notices. */
  rotate(to: KeyProvider): Promise<void>;
}

/** Opens the store with its key; one in which nothing is yet is given one. Closes the inner store when it is closed. */
export async function openEncryptedStorage(inner: Storage, provider: KeyProvider): Promise<EncryptedStore> {
  return encryptedStorage(inner, await rootKeyOf(inner, provider), provider);
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

function encryptedStorage(inner: Storage, root: RootKey, provider: KeyProvider): EncryptedStore {
  const keyring = openKeyring(inner, root);
  const records = openRecords(inner, keyring);
  const cuts = openCuts(records);
  const journal = openJournal(inner, keyring, cuts);
  const removals = openRemovals(records);
  const ends = openEnds(inner, journal, cuts);
  const fresh = (task: string) => assertFresh({ inner, journal, records, removals, ends }, task);
  const commits = openCommits({
    ...{ inner, keyring, records, cuts, removals, ends },
    lastStamps: (task) => lastStamps(journal, task),
  });
  const blobs = openBlobs(inner, keyring, commits.isHeld);
  const core: Pick<Storage, 'commit' | 'get' | 'page'> = {
    commit: commits.commit,
    async get(category, key) {
      refuseKeys(category, key);
      const record = await records.get(category, key);
      if (!record) return null;
      const { seq: _, ...stored } = record;
      return stored;
    },
    async page(category, query) {
      refuseKeys(category);
      const page = await inner.page(category, query);
      return { ...page, keys: page.keys.filter((key) => !isOwnRecord(category, key)) };
    },
  };

  return {
    type: inner.type,
    shared: inner.shared,
    encrypted: true,
    get files() {
      return inner.files;
    },
    ...core,
    ...recordVerbs(core),
    ...blobs,
    categories: async () => (await inner.categories()).filter((name) => name !== KEYS),
    tasks: (query) => inner.tasks(query),
    position: async (task) => (await ends.find(task)).told,
    async *read(task, range) {
      for await (const { seq, hash, data } of journal.read(task, range)) yield { seq, hash, data };
    },
    async claim(task) {
      const claim = await inner.claim(task);
      try {
        keyring.refresh(task);
        const held = await fresh(task);
        commits.hold(task, held);
        const release = async () => {
          commits.letGo(task, held);
          await claim.release();
        };
        return { ...claim, release };
      } catch (error) {
        await claim.release();
        throw error;
      }
    },
    owner: (task) => inner.owner(task),
    async removeTask(task, options = {}) {
      assertTask(task);
      if (!(await keyring.has(task))) return inner.removeTask(task, options);
      // Nobody else may make it anew, with its old key, until that is gone too.
      const claim = options.fence === undefined ? await inner.claim(task) : null;
      try {
        const removed = await inner.removeTask(task, claim ?? options);
        await keyring.remove(task);
        await commits.rehold(task, async () => ({ stamps: {}, end: NO_END }));
        return removed;
      } finally {
        await claim?.release();
      }
    },
    compact: (task, options) => inner.compact(task, options),
    async repair(task, options = {}) {
      const repair = await inner.repair(task, options);
      if (task === null) return repair;
      // Also where nothing is damaged: whoever repaired it before may have been cut off here.
      const { seq: end } = repair?.kept ?? (await inner.position(task));
      await restamp(inner, records, keyring, { task, end, fence: options.fence });
      if (!repair) return null;
      await commits.rehold(task, () => fresh(task));
      return { ...repair, kept: await ends.told(task, repair.kept) };
    },
    size: () => inner.size(),
    flush: () => inner.flush(),
    verify: (at) =>
      verifySealed({
        at,
        ...{ inner, records, journal, blobs },
        assertFresh: fresh,
      }),
    close: () => inner.close(),
    async rotate(to) {
      const there = await inner.get(KEYS, ROOT);
      const { store, secret } = await unlock(readLocked(there?.data), provider);
      const data = await lock({ store, secret }, to, new Date());
      const write = { category: KEYS, key: ROOT, data, expect: there!.revision };
      await inner.commit({ task: null, records: [write] });
    },
  };
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
