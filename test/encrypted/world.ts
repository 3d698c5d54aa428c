/** An encrypted store and the plain one below it, for tampering with what is stored. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Storage } from '../../src/storage/contract.ts';
import { type EncryptedStore, openEncryptedStorage } from '../../src/storage/encrypted/open.ts';
import { openJsonStorage } from '../../src/storage/json/open.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/open.ts';
import { keyProvider } from '../contract/open-store.ts';

export interface Sealed {
  readonly key: string;
  readonly dir: string;
  readonly inner: Storage;
  readonly store: EncryptedStore;
  /** Opened again, so that nothing is cached. */
  again(): Promise<EncryptedStore>;
  close(): Promise<void>;
}

export const BACK_ENDS = ['json', 'sqlite'] as const;

export async function sealedStore(dir: string, type: (typeof BACK_ENDS)[number]): Promise<Sealed> {
  const key = randomBytes(32).toString('hex');
  const opened: Storage[] = [];
  const plain = async (): Promise<Storage> => {
    const store =
      type === 'json'
        ? await openJsonStorage({ root: join(dir, 'store') })
        : await openSqliteStorage({ path: join(dir, 'store.db') });
    opened.push(store);
    return store;
  };
  const inner = await plain();
  return {
    ...{ key, dir, inner },
    store: await openEncryptedStorage(inner, keyProvider(key)),
    again: async () => openEncryptedStorage(await plain(), keyProvider(key)),
    close: async () => {
      for (const store of opened) await store.close();
    },
  };
}
