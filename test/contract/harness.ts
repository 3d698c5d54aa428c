/** What a back end brings to the contract suite, and what a case of the suite gets. */
import type { Storage } from '../../src/storage/contract.ts';

export interface Harness {
  /** A store in which nothing is yet. */
  fresh(): Promise<Place>;
  /** How long a dead owner keeps its task; undefined where the kernel tells at once. */
  readonly lease_seconds?: number;
  /** What is stored is sealed, which takes longer. */
  readonly sealed?: boolean;
  /** Cases that make no sense on this back end, by name, with the reason. */
  readonly skip?: Readonly<Record<string, string>>;
}

export interface Place {
  open(): Promise<Storage>;
  /** How a child process opens the same store: a module whose `openStore` takes these arguments. */
  readonly child: { readonly module: string; readonly args: unknown };
  /** Changes stored bytes past the store. */
  readonly damage: Damage;
  /** Names of everything on the disk near the store that does not belong to it. */
  strangers(): string[];
  remove(): Promise<void>;
}

/** Called while nobody has the store open. */
export interface Damage {
  record(category: string, key: string): Promise<void>;
  entry(task: string, seq: number): Promise<void>;
  blob(task: string | null, id: string): Promise<void>;
  /** Not damage: makes a blob as old as this. */
  age(task: string | null, id: string, hours: number): Promise<void>;
}

export interface Context {
  readonly harness: Harness;
  readonly place: Place;
  /** The store of the case; after `reopen`, the new one. */
  readonly store: Storage;
  /** Another user of the same store in this process. */
  another(): Promise<Storage>;
  /** Closes the store, does something to it, and opens it again. */
  reopen(meanwhile?: () => Promise<void>): Promise<Storage>;
  /** For what must hold at once and still hold after closing and opening. */
  nowAndReopened(check: (store: Storage) => Promise<void>): Promise<void>;
}

export type Cases = Readonly<Record<string, (context: Context) => Promise<void>>>;

export async function runCase(harness: Harness, run: (context: Context) => Promise<void>): Promise<void> {
  const place = await harness.fresh();
  const opened: Storage[] = [];
  const open = async () => {
    const store = await place.open();
    opened.push(store);
    return store;
  };
  try {
    const context = {
      harness,
      place,
      store: await open(),
      another: open,
      async reopen(meanwhile?: () => Promise<void>) {
        await context.store.close();
        await meanwhile?.();
        context.store = await open();
        return context.store;
      },
      async nowAndReopened(check: (store: Storage) => Promise<void>) {
        await check(context.store);
        await check(await context.reopen());
      },
    };
    await run(context);
  } finally {
    await Promise.all(opened.map((store) => store.close()));
    await place.remove();
  }
}
