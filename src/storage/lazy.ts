/** A store that is opened at its first use: what the constructors of the stores give. */
import { StoreError } from '../errors.ts';
import { phrase } from '../phrase.ts';
import { copyBlobs } from './blob-names.ts';
import type { Storage } from './contract.ts';
import { checkedCommit, encodeCommit } from './prepare.ts';
import { recordVerbs, type Verbs } from './verbs.ts';

export abstract class LazyStorage implements Storage {
  abstract readonly type: string;
  abstract readonly shared: boolean;
  readonly #open: () => Promise<Storage>;
  #opening: Promise<Storage> | null = null;
  #opened: Storage | null = null;
  #closed = false;

  protected constructor(open: () => Promise<Storage>) {
    this.#open = open;
  }

  /** Known once it is open, as it is to whoever has used it. */
  get files(): Storage['files'] {
    return this.#opened?.files;
  }

  // Members of the object, not of its class: a store can be spread or taken apart like any other.
  readonly categories: Storage['categories'] = () => this.#use((store) => store.categories());
  readonly get: Storage['get'] = (...given) => this.#use((store) => store.get(...given));
  readonly page: Storage['page'] = (...given) => this.#use((store) => store.page(...given));
  readonly tasks: Storage['tasks'] = (...given) => this.#use((store) => store.tasks(...given));
  readonly commit: Storage['commit'] = async (given) => {
    // What is handed over now counts, whatever becomes of it before the store is open.
    const kept = this.#opened ? given : checkedCommit(encodeCommit(given));
    return this.#use((store) => store.commit(kept));
  };
  readonly position: Storage['position'] = (...given) => this.#use((store) => store.position(...given));
  readonly read: Storage['read'] = (...given) => this.#each((store) => store.read(...given));
  readonly putBlobs: Storage['putBlobs'] = async (task, blobs) => {
    const kept = this.#opened ? blobs : copyBlobs(task, blobs);
    return this.#use((store) => store.putBlobs(task, kept));
  };
  readonly getBlob: Storage['getBlob'] = (...given) => this.#use((store) => store.getBlob(...given));
  readonly listBlobs: Storage['listBlobs'] = (...given) => this.#each((store) => store.listBlobs(...given));
  readonly renewBlobs: Storage['renewBlobs'] = (...given) => this.#use((store) => store.renewBlobs(...given));
  readonly deleteBlobs: Storage['deleteBlobs'] = (...given) =>
    this.#use((store) => store.deleteBlobs(...given));
  readonly claim: Storage['claim'] = (...given) => this.#use((store) => store.claim(...given));
  readonly owner: Storage['owner'] = (...given) => this.#use((store) => store.owner(...given));
  readonly removeTask: Storage['removeTask'] = (...given) => this.#use((store) => store.removeTask(...given));
  readonly compact: Storage['compact'] = (...given) => this.#use((store) => store.compact(...given));
  readonly repair: Storage['repair'] = (...given) => this.#use((store) => store.repair(...given));
  readonly size: Storage['size'] = () => this.#use((store) => store.size());
  readonly flush: Storage['flush'] = () => this.#use((store) => store.flush());
  readonly verify: Storage['verify'] = () => this.#each((store) => store.verify());

  readonly #verbs: Verbs = recordVerbs(this);
  readonly save: Storage['save'] = this.#verbs.save;
  readonly load: Storage['load'] = this.#verbs.load;
  readonly delete: Storage['delete'] = this.#verbs.delete;
  readonly list: Storage['list'] = this.#verbs.list;

  /** One that was never used is not opened for it. */
  readonly close: Storage['close'] = async () => {
    this.#closed = true;
    const store = await this.#opening?.catch(() => null);
    await store?.close();
  };

  async #use<T>(use: (store: Storage) => Promise<T>): Promise<T> {
    if (this.#closed) throw closed(this.type);
    return use(this.#opened ?? (await this.#firstUse()));
  }

  async *#each<T>(items: (store: Storage) => AsyncIterable<T>): AsyncGenerator<T> {
    if (this.#closed) throw closed(this.type);
    yield* items(this.#opened ?? (await this.#firstUse()));
  }

  /** What cannot be opened now is tried again at the next use. */
  #firstUse(): Promise<Storage> {
    this.#opening ??= this.#open().then(
      (store) => {
        this.#opened = store;
        return store;
      },
      (error) => {
        this.#opening = null;
        throw error;
      },
    );
    return this.#opening;
  }
}

function closed(type: string): StoreError {
  return new StoreError('STORE_CLOSED', phrase`This ${type} store is closed.`, {
    data: { type },
    hint: phrase`Make a new one, or close it after the last use.`,
  });
}
