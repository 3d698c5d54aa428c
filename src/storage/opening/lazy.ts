/** A back end that is opened at first use: used by stores that are created with `new`. */
import type { Backend } from '../backend.ts';
import { copyBlobs } from '../blob-names.ts';
import type { Storage } from '../contract.ts';
import { createStorage } from '../create.ts';

/** What is known before it is open. */
type Known = Pick<Backend, 'type' | 'shared' | 'encrypted'>;

export function lazyBackend(known: Known, open: () => Promise<Storage>): Backend {
  let opening: Promise<Storage> | null = null;
  let opened: Storage | null = null;

  /** If opening fails, the next use tries again. */
  const firstUse = (): Promise<Storage> => {
    opening ??= open().then(
      (store) => {
        opened = store;
        return store;
      },
      (error) => {
        opening = null;
        throw error;
      },
    );
    return opening;
  };
  const use = async <T>(run: (backend: Backend, store: Storage) => Promise<T>): Promise<T> => {
    const store = opened ?? (await firstUse());
    return run(store.backend, store);
  };
  async function* each<T>(items: (store: Storage) => AsyncIterable<T>): AsyncGenerator<T> {
    yield* items(opened ?? (await firstUse()));
  }

  return {
    get type() {
      return known.type;
    },
    get shared() {
      return known.shared;
    },
    get encrypted() {
      return known.encrypted;
    },
    /** Known once it is open, as are its files. */
    get commits_blobs() {
      return opened?.backend.commits_blobs;
    },
    get files() {
      return opened?.files;
    },
    commit: (commit) => use((backend) => backend.commit(commit)),
    get: (category, key) => use((backend) => backend.get(category, key)),
    page: (list, query) => use((backend) => backend.page(list, query)),
    position: (task) => use((backend) => backend.position(task)),
    read: (task, range) => each(({ backend }) => backend.read(task, range)),
    putBlobs: (task, blobs) => {
      // Copied, because the caller may change the bytes before the store is open.
      const kept = opened ? blobs : copyBlobs(blobs);
      return use((backend) => backend.putBlobs(task, kept));
    },
    getBlob: (task, id) => use((backend) => backend.getBlob(task, id)),
    listBlobs: (task) => each(({ backend }) => backend.listBlobs(task)),
    renewBlobs: (task, ids) => use((_, store) => store.renewBlobs(task, ids)),
    deleteBlobs: (task, ids, options) => use((backend) => backend.deleteBlobs(task, ids, options)),
    claim: (task) => use((backend) => backend.claim(task)),
    owner: (task) => use((backend) => backend.owner(task)),
    removeTask: (task, fence) => use((backend) => backend.removeTask(task, fence)),
    compact: (task, fence) => use((_, store) => store.compact(task, { fence })),
    repair: (task, fence) => use((_, store) => store.repair(task, { fence })),
    changes: (signal) => each((store) => store.changes(signal)),
    size: () => use((_, store) => store.size()),
    flush: () => use((_, store) => store.flush()),
    verify: (at) => each((store) => store.verify(at)),
    /** A store that was never used is not opened to be closed. */
    close: async () => {
      // One that did not open has nothing to close.
      const store = await opening?.catch(() => null);
      await store?.close();
    },
  };
}

/** A store that is an instance of a class; its members are its own, so it can be spread or taken apart like any other. */
export const StorageOf: new (backend: Backend) => Storage = class {
  constructor(backend: Backend) {
    Object.defineProperties(this, Object.getOwnPropertyDescriptors(createStorage(backend)));
  }
} as new (
  backend: Backend,
) => Storage;
