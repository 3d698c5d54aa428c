/** Opens a store from plain data, so that a child process can open the same one. */
import type { Storage } from '../../src/storage/contract.ts';
import type { KeyProvider } from '../../src/storage/encrypted/key-provider.ts';

export type Address = Place & {
  /** Of an encrypted store: 64 hexadecimal digits. */
  readonly key?: string;
};

export type Place =
  | { readonly type: 'json'; readonly root: string }
  | { readonly type: 'sqlite'; readonly path: string }
  | {
      readonly type: 'postgres';
      readonly url: string;
      readonly schema: string;
      readonly lease_seconds: number;
    };

export const MODULE: string = import.meta.url;

export async function openStore({ key, ...place }: Address): Promise<Storage> {
  const store = await openPlain(place);
  if (key === undefined) return store;
  const { openEncryptedStorage } = await import('../../src/storage/encrypted/open.ts');
  return openEncryptedStorage(store, keyProvider(key));
}

export function keyProvider(key: string): KeyProvider {
  return { source: 'the test', key: async () => Buffer.from(key, 'hex') };
}

export async function openPlain(address: Place): Promise<Storage> {
  switch (address.type) {
    case 'json':
      return (await import('../../src/storage/json/open.ts')).openJsonStorage(address);
    case 'sqlite':
      return (await import('../../src/storage/sqlite/open.ts')).openSqliteStorage(address);
    case 'postgres':
      return (await import('../../src/storage/postgres/open.ts')).openPostgresStorage(address);
  }
}
