/**
 * Creates a store from a back end: it checks arguments, encodes and decodes values, chains journals, names blobs by their
 * content and checks them, refuses calls after closing, and adds the derived operations.
 */
import { CorruptError, InvalidInputError, StoreError } from '../errors.ts';
import { phrase } from '../phrase.ts';
import type { Backend, Listing, NamedBlob } from './backend.ts';
import { blobId, isWholeBlob } from './blob-names.ts';
import { openChanges } from './changes.ts';
import type { NewBlob, PageQuery, Storage } from './contract.ts';
import { assertBlobId, assertBlobs, assertCategory, assertKey, assertTask, taskOfRecord } from './keys.ts';
import { eachBefore } from './parts.ts';
import { prepareCommit } from './prepare.ts';
import { createPromised } from './promised.ts';
import { assertDeletion, assertPageQuery, assertRange } from './query.ts';
import { sizeByReading, verifyByReading } from './reading.ts';
import { decode } from './serialize.ts';
import { everyKey, everyName } from './walk.ts';

export function createStorage(backend: Backend): Storage {
  assertBackend(backend);
  let closing: Promise<void> | undefined;
  const promised = createPromised();
  const changes = openChanges(backend);

  const storePromised = async (): Promise<void> => {
    const blobs = promised.all();
    if (blobs.length === 0) return;
    await backend.putBlobs(null, blobs);
    promised.kept(blobs);
  };
  const named = (blobs: readonly NewBlob[]): NamedBlob[] => {
    assertBlobs(blobs);
    return blobs.map((blob) => ({ id: blobId(blob), bytes: blob.bytes }));
  };

  const assertOpen = (): void => {
    if (closing) throw closed(backend.type);
  };
  const assertCall = (task: string | null): void => {
    assertOpen();
    if (task !== null) assertTask(task);
  };
  /** Also detects closing between two items. */
  async function* whileOpen<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
    for await (const item of items) {
      yield item;
      assertOpen();
    }
  }
  const page = (list: Listing, query: PageQuery) => {
    assertPageQuery(query);
    return backend.page(list, query);
  };

  // Not async: a back end may settle before other code has had a turn.
  const commit: Storage['commit'] = (given) => {
    try {
      assertOpen();
      const prepared = prepareCommit(given);
      const blobs = promised.all();
      if (blobs.length === 0) return changes.after(given.task, backend.commit(prepared));
      return changes.after(given.task, backend.commit({ ...prepared, blobs })).then((receipt) => {
        promised.kept(blobs);
        return receipt;
      });
    } catch (error) {
      return Promise.reject(error);
    }
  };

  const closeWithPromised = async (): Promise<void> => {
    await storePromised().catch(() => {}); // No entry names them: nothing is lost.
    await backend.close();
  };

  const commitOne = async (category: string, key: string, write: { data: unknown } | { remove: true }) => {
    assertCategory(category);
    assertKey(key);
    const task = taskOfRecord(category, key);
    return (await commit({ task, records: [{ category, key, ...write }] })).records[0]!;
  };

  const storage: Storage = {
    backend,
    get type() {
      return backend.type;
    },
    get shared() {
      return backend.shared;
    },
    get encrypted() {
      return backend.encrypted ?? false;
    },
    get files() {
      return backend.files;
    },
    commit,
    async get(category, key) {
      assertOpen();
      assertCategory(category);
      assertKey(key);
      taskOfRecord(category, key);
      const found = await backend.get(category, key);
      return found && { data: decode(found.text), revision: found.revision, updated_at: found.updated_at };
    },
    async page(category, query = {}) {
      assertOpen();
      assertCategory(category);
      return page({ category }, query);
    },
    async tasks(query = {}) {
      assertOpen();
      return page('tasks', query);
    },
    async categories() {
      assertOpen();
      return Array.fromAsync(everyName((query) => page('categories', query)));
    },
    async position(task) {
      assertCall(task);
      return backend.position(task);
    },
    async *read(task, range) {
      for await (const part of storage.readParts(task, range)) for (const entry of part) yield entry;
    },
    async *readParts(task, range = {}) {
      assertCall(task);
      assertRange(range);
      for await (const part of backend.read(task, range)) {
        yield* eachBefore(part, ({ seq, hash, text }) => ({ seq, hash, data: decode(text) }));
        assertOpen();
      }
    },

    async putBlobs(task, blobs) {
      assertCall(task);
      const all = named(blobs);
      await backend.putBlobs(task, all);
      return all.map(({ id }) => id);
    },
    async promiseBlobs(blobs) {
      assertOpen();
      const all = named(blobs);
      if (!backend.commits_blobs || !promised.add(all)) await backend.putBlobs(null, all);
      return all.map(({ id }) => id);
    },
    async getBlob(task, id) {
      assertCall(task);
      assertBlobId(id);
      const here = task === null ? promised.get(id) : undefined;
      if (here) return Uint8Array.from(here);
      const bytes = await backend.getBlob(task, id);
      if (bytes && !isWholeBlob(id, bytes)) throw damagedBlob(task, id);
      return bytes;
    },
    async *listBlobs(task) {
      assertCall(task);
      if (task === null) await storePromised();
      yield* whileOpen(backend.listBlobs(task));
    },
    async renewBlobs(task, ids) {
      assertCall(task);
      ids.forEach(assertBlobId);
      if (task === null && ids.every((id) => promised.get(id))) return [...ids];
      if (task === null) await storePromised();
      if (backend.renewBlobs) return backend.renewBlobs(task, ids);
      const there: string[] = [];
      for (const id of ids) {
        const bytes = await backend.getBlob(task, id);
        if (!bytes) continue;
        await backend.putBlobs(task, [{ id, bytes }]);
        there.push(id);
      }
      return there;
    },
    async deleteBlobs(task, ids, options = {}) {
      assertCall(task);
      ids.forEach(assertBlobId);
      assertDeletion(options);
      if (task === null) await storePromised();
      return backend.deleteBlobs(task, ids, options);
    },

    async claim(task) {
      assertCall(task);
      return changes.aroundClaim(await backend.claim(task));
    },
    async owner(task) {
      assertCall(task);
      return backend.owner(task);
    },

    async removeTask(task, { fence } = {}) {
      assertCall(task);
      return changes.around(task, backend.removeTask(task, fence));
    },
    async compact(task, { fence } = {}) {
      assertCall(task);
      return (await backend.compact?.(task, fence)) ?? 0;
    },
    async repair(task, { fence } = {}) {
      assertCall(task);
      return (await backend.repair?.(task, fence)) ?? null;
    },
    async size() {
      assertOpen();
      await storePromised();
      return backend.size ? backend.size() : sizeByReading(storage);
    },
    async flush() {
      assertOpen();
      await storePromised();
      await backend.flush?.();
    },
    async *verify(at) {
      assertOpen();
      yield* whileOpen(backend.verify ? backend.verify(at) : verifyByReading(storage, at));
    },
    changes: (signal) => {
      assertOpen();
      return changes.listen(signal);
    },
    close() {
      changes.end();
      // What could not be stored is named by nothing.
      closing ??= promised.all().length === 0 ? backend.close() : closeWithPromised();
      return closing;
    },

    save: async (category, key, data) => (await commitOne(category, key, { data })).location,
    load: async (category, key) => (await storage.get(category, key))?.data ?? null,
    delete: async (category, key) => (await commitOne(category, key, { remove: true })).existed,
    list: (category) => Array.fromAsync(everyKey(storage, category, { limit: 10_000 })),
  };
  return storage;
}

const REQUIRED: readonly (keyof Backend)[] = [
  ...([
    'commit',
    'get',
    'page',
    'position',
    'read',
    'putBlobs',
    'getBlob',
    'listBlobs',
    'deleteBlobs',
  ] as const),
  ...(['claim', 'owner', 'removeTask', 'close'] as const),
];

/**
 * JavaScript callers may pass anything; a common mistake is to pass a store, which takes values where a back end takes
 * texts.
 */
function assertBackend(backend: Backend): void {
  const given = Object(backend) as Partial<Record<string, unknown>>;
  const missing = REQUIRED.filter((name) => typeof given[name] !== 'function');
  if (missing.length === 0 && !('backend' in given)) return;
  throw new InvalidInputError('USAGE', phrase`This is not a back end.`, {
    data: { missing },
    hint: phrase`Give an object with ${REQUIRED.join(', ')}, as in the type Backend; for a store, give its "backend".`,
  });
}

function closed(type: string): StoreError {
  return new StoreError('STORE_CLOSED', phrase`This ${type} store is closed.`, {
    data: { type },
    hint: phrase`Make a new one, or close it after the last use.`,
  });
}

function damagedBlob(task: string | null, id: string): CorruptError {
  return new CorruptError(phrase`The blob ${id} is not what was stored.`, {
    data: { task, id },
    hint: phrase`Put the same bytes again to repair it; what refers to it cannot be loaded until then.`,
  });
}
