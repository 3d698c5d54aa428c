/** Where cases take place: each local one in a directory of its own, on PostgreSQL several in one database. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Storage } from '../../src/storage/contract.ts';
import { openStore, type StoreName, type StorePlace } from '../crash/stores.ts';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';

export interface Site {
  readonly place: StorePlace;
  /** The project; for local stores all there is. */
  readonly dir: string;
  /** Uses the store from the driver's own process. */
  withStorage<T>(use: (storage: Storage) => Promise<T>): Promise<T>;
  clear(): Promise<void>;
}

export interface Ground {
  site(): Promise<Site>;
  close(): Promise<void>;
}

/** A dead process owns its task for this long on PostgreSQL, and a live one must not be kept from renewing. */
const LEASE_MS = 1500;
/** Verifying takes as long as what is in the store, so a database does not see too many tasks. */
const TASKS_PER_DATABASE = 20;

/** `driver` are the sources the driver works with, `src` those of the processes that are killed. */
export function openGround(store: StoreName, src: string, driver: string, scratch: string): Ground {
  const newDir = (): string => mkdtempSync(join(scratch, `${store}-`));
  const removeDir = (dir: string): void => rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
  if (store === 'postgres') return postgresGround(src, driver, newDir, removeDir);
  return {
    close: async () => {},
    async site() {
      const dir = newDir();
      const target = join(dir, 'store');
      mkdirSync(target);
      return {
        dir,
        place: { src, store, target },
        async withStorage(use) {
          const storage = await openStore({ src: driver, store, target });
          try {
            return await use(storage);
          } finally {
            await storage.close();
          }
        },
        clear: async () => removeDir(dir),
      };
    },
  };
}

interface Shared {
  readonly database: TestDatabase;
  readonly storage: Storage;
  given: number;
  inUse: number;
}

function postgresGround(
  src: string,
  driver: string,
  newDir: () => string,
  removeDir: (dir: string) => void,
): Ground {
  let current: Promise<Shared> | undefined;
  let left = 0;
  const all = new Set<Shared>();

  const open = async (): Promise<Shared> => {
    const database = await freshDatabase();
    const storage = await openStore({ src: driver, store: 'postgres', target: database.url });
    const shared = { database, storage, given: 0, inUse: 0 };
    all.add(shared);
    return shared;
  };
  const drop = async (shared: Shared): Promise<void> => {
    all.delete(shared);
    await shared.storage.close();
    await shared.database.drop();
  };

  return {
    async site() {
      if (left-- <= 0) {
        current = open();
        left = TASKS_PER_DATABASE - 1;
      }
      const shared = await current!;
      shared.given++;
      shared.inUse++;
      const dir = newDir();
      return {
        dir,
        place: { src, store: 'postgres', target: shared.database.url, lease_ms: LEASE_MS },
        withStorage: (use) => use(shared.storage),
        async clear() {
          removeDir(dir);
          if (--shared.inUse === 0 && shared.given === TASKS_PER_DATABASE) await drop(shared);
        },
      };
    },
    async close() {
      for (const shared of all) await drop(shared);
    },
  };
}
