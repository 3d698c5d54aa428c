/** Stores under the names people look for. Each opens a `Storage`; none is a class of its own. */
import type { Storage } from './contract.ts';
import type { KeyProvider } from './encrypted/key-provider.ts';
import { type EncryptedStore, openEncryptedStorage } from './encrypted/open.ts';
import { type JsonStorageOptions, openJsonStorage } from './json/open.ts';
import { openSqliteStorage, type SqliteOptions } from './sqlite/open.ts';

export const JsonStorage: {
  /** One JSON file per record at `{root}/{category}/{key}.json`. */
  open(root: string, options?: Omit<JsonStorageOptions, 'root'>): Promise<Storage>;
} = { open: (root, options) => openJsonStorage({ ...options, root }) };

export const SqliteStorage: {
  /** One database file. */
  open(path: string, options?: Omit<SqliteOptions, 'path'>): Promise<Storage>;
} = { open: (path, options) => openSqliteStorage({ ...options, path }) };

export const EncryptedStorage: {
  /** Everything sealed, in any other store. One in which nothing is yet is locked with the key; closed with it. */
  open(inner: Storage, key: KeyProvider): Promise<EncryptedStore>;
} = { open: openEncryptedStorage };
