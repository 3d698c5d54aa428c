/** Opens a store from plain data, so that a child process can open the same one. */
import type { Storage } from '../../src/storage/contract.ts';

export type Address =
  | { readonly type: 'json'; readonly root: string }
  | { readonly type: 'sqlite'; readonly path: string }
  | {
      readonly type: 'postgres';
      readonly url: string;
      readonly schema: string;
      readonly lease_seconds: number;
    };

export const MODULE: string = import.meta.url;

export async function openStore(address: Address): Promise<Storage> {
  switch (address.type) {
    case 'json':
      return (await import('../../src/storage/json/open.ts')).openJsonStorage(address);
    case 'sqlite':
      return (await import('../../src/storage/sqlite/open.ts')).openSqliteStorage(address);
    case 'postgres':
      return (await import('../../src/storage/postgres/open.ts')).openPostgresStorage(address);
  }
}
