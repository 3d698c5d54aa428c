/** Opens a store of the engine whose sources are at `src`, which may be a copy with a bug seeded into it. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Storage } from '../../src/storage/contract.ts';
import type { KeyProvider } from '../../src/storage/encrypted/key-provider.ts';
import type { PostgresStorageOptions } from '../../src/storage/postgres/options.ts';
import type { IoHook } from '../../src/system/io.ts';

export type StoreName = 'json' | 'sqlite' | 'postgres';

export interface StorePlace {
  readonly src: string;
  readonly store: StoreName;
  /** JSON: its root; SQLite: the directory of its database; PostgreSQL: the server's address. */
  readonly target: string;
  /** PostgreSQL: how long claims outlive their last renewal. */
  readonly lease_ms?: number;
}

export async function openStore({ src, store, target, lease_ms }: StorePlace): Promise<Storage> {
  return await (await importStore(src, store, lease_ms))(target);
}

/** With it in the environment of a campaign, every store in it is an encrypted one. */
export const KEY_VARIABLE = 'VIBE_TEST_STORE_KEY';

/** Loads the store's modules, so that opening it later costs only the opening. */
export async function importStore(
  src: string,
  store: StoreName,
  lease_ms = 30_000,
): Promise<(target: string) => Promise<Storage>> {
  const open = await importPlain(src, store, lease_ms);
  const key = process.env[KEY_VARIABLE];
  if (key === undefined) return open;
  const provider: KeyProvider = { source: KEY_VARIABLE, key: async () => Buffer.from(key, 'hex') };
  const { openEncryptedStorage } = await importFrom<{
    openEncryptedStorage: (inner: Storage, provider: KeyProvider) => Promise<Storage>;
  }>(src, 'storage/encrypted/open.ts');
  return async (target) => {
    const inner = await open(target);
    try {
      return await openEncryptedStorage(inner, provider);
    } catch (error) {
      await inner.close();
      throw error;
    }
  };
}

async function importPlain(
  src: string,
  store: StoreName,
  lease_ms: number,
): Promise<(target: string) => Promise<Storage>> {
  const file = `storage/${store}/open.ts`;
  if (store === 'json') {
    const { openJsonStorage } = await importFrom<{ openJsonStorage: Open<{ root: string }> }>(src, file);
    return (root) => openJsonStorage({ root });
  }
  if (store === 'sqlite') {
    const { openSqliteStorage } = await importFrom<{ openSqliteStorage: Open<{ path: string }> }>(src, file);
    return (dir) => openSqliteStorage({ path: join(dir, 'persistence.db') });
  }
  const { openPostgresStorage } = await importFrom<{ openPostgresStorage: Open<PostgresStorageOptions> }>(
    src,
    file,
  );
  return (url) => openPostgresStorage({ url, lease_seconds: lease_ms / 1000 });
}

/** The hook of the very module that this engine's stores call. */
export async function hookOf(src: string): Promise<(hook: IoHook | undefined) => void> {
  return (await importFrom<{ setIoHook: (hook: IoHook | undefined) => void }>(src, 'system/io.ts')).setIoHook;
}

type Open<T> = (options: T) => Promise<Storage>;

/** A module of this engine. */
export async function importFrom<T>(src: string, file: string): Promise<T> {
  return (await import(pathToFileURL(join(src, file)).href)) as T;
}
