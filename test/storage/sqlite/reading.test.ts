/** Journals in a SQLite file, read in batches: long texts among short ones, hashes in both forms, gaps at any place. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import type { Storage } from '../../../src/storage/contract.ts';
import { openSqliteStorage } from '../../../src/storage/sqlite/open.ts';
import { hexHash, shortHash } from '../../../src/storage/sqlite/stored-hash.ts';
import { tempDirs } from '../../support/temp.ts';

const tempDir = tempDirs();
const freshPath = () => join(tempDir(), 'store.db');

async function append(store: Storage, entries: readonly unknown[]): Promise<void> {
  await store.commit({ task: 't', append: { after: await store.position('t'), entries } });
}

const dataOf = async (store: Storage, range = {}) =>
  (await Array.fromAsync(store.read('t', range))).map(({ data }) => data);

/** Runs on the file of a store that is closed. */
function inDatabase(path: string, run: (db: DatabaseSync) => void): void {
  const db = new DatabaseSync(path);
  run(db);
  db.close();
}

/** As a store that was written before hashes were short. */
function makeOld(path: string): void {
  inDatabase(path, (db) => {
    const rows = db.prepare('SELECT id, hash FROM journal').all() as { id: number; hash: string }[];
    const update = db.prepare('UPDATE journal SET hash = ? WHERE id = ?');
    for (const { id, hash } of rows) update.run(hexHash(hash), id);
    db.exec('PRAGMA user_version = 1');
  });
}

it('a hash has two forms, of which the short one is written', async () => {
  const hex = '0123456789abcdef'.repeat(4);
  expect(shortHash(hex)).toHaveLength(43);
  expect(hexHash(shortHash(hex))).toBe(hex);
  expect(hexHash(hex)).toBe(hex);
  const path = freshPath();
  const store = await openSqliteStorage({ path });
  await append(store, [1]);
  const { hash } = await store.position('t');
  await store.close();
  inDatabase(path, (db) =>
    expect(db.prepare('SELECT hash FROM journal').all()).toEqual([{ hash: shortHash(hash) }]),
  );
});

it('a store of the first version is read and written', async () => {
  const path = freshPath();
  const before = await openSqliteStorage({ path });
  await append(before, [1, 2, 3]);
  await before.close();
  makeOld(path);
  const store = await openSqliteStorage({ path });
  expect(await dataOf(store)).toEqual([1, 2, 3]);
  await append(store, [4]);
  expect(await dataOf(store)).toEqual([1, 2, 3, 4]);
  expect(await dataOf(store, { reverse: true })).toEqual([4, 3, 2, 1]);
  expect(await dataOf(store, { from: 3 })).toEqual([3, 4]);
  await store.commit({ task: 't', cut: { from: 2, to: 3 } });
  await append(store, [5]);
  expect(await dataOf(store)).toEqual([1, 4, 5]);
  expect(await Array.fromAsync(store.verify())).toEqual([]);
  await store.close();
});

it('a tail that was not indexed before a crash is found in both forms', async () => {
  const path = freshPath();
  const before = await openSqliteStorage({ path });
  await append(before, [1, 2]);
  await before.close();
  makeOld(path);
  inDatabase(path, (db) => db.exec('DELETE FROM places; DELETE FROM indexed; UPDATE heads SET seq = seq'));
  const store = await openSqliteStorage({ path });
  await append(store, [3]);
  expect(await dataOf(store)).toEqual([1, 2, 3]);
  await store.close();
});

it('long texts come in their place, in any order and range', async () => {
  const store = await openSqliteStorage({ path: freshPath() });
  const lengths = [10, 20_000, 10, 10, 300_000, 300_000, 5, ...Array.from({ length: 700 }, (_, i) => i)];
  const entries = lengths.map((length, i) => `${i}:${'x'.repeat(length)}`);
  await append(store, entries);
  expect(await dataOf(store)).toEqual(entries);
  expect(await dataOf(store, { reverse: true })).toEqual(entries.toReversed());
  expect(await dataOf(store, { from: 2, to: 6 })).toEqual(entries.slice(1, 6));
  expect(await dataOf(store, { limit: 3, reverse: true, to: 6 })).toEqual(entries.slice(3, 6).reverse());
  await store.commit({ task: 't', cut: { from: 5, to: 5 } });
  await store.commit({ task: 't', cut: { from: 200, to: 600 } });
  const left = entries.filter((_, i) => i !== 4 && !(i >= 199 && i <= 599));
  expect(await dataOf(store)).toEqual(left);
  expect(await dataOf(store, { reverse: true })).toEqual(left.toReversed());
  await store.close();
});

it('what can be read before a missing entry is read, from either end', async () => {
  const path = freshPath();
  const before = await openSqliteStorage({ path });
  const entries = Array.from({ length: 1500 }, (_, i) => i);
  await append(before, entries);
  await before.close();
  inDatabase(path, (db) => db.exec('DELETE FROM journal WHERE seq = 1000'));
  const store = await openSqliteStorage({ path });
  const readUntilDamage = async (reverse: boolean) => {
    const found: unknown[] = [];
    const reading = async () => {
      for await (const { data } of store.read('t', { reverse })) found.push(data);
    };
    await expect(reading()).rejects.toMatchObject({ code: 'CORRUPT', data: { seq: 1000 } });
    return found;
  };
  expect(await readUntilDamage(false)).toEqual(entries.slice(0, 999));
  // The entry after the gap follows from one that is not there.
  expect(await readUntilDamage(true)).toEqual(entries.slice(1001).reverse());
  await store.close();
});

it('commits of many tasks leave each its own journal, indexed or not', async () => {
  const path = freshPath();
  const first = await openSqliteStorage({ path });
  const tasks = Array.from({ length: 100 }, (_, i) => `t${i}`);
  for (let round = 0; round < 25; round++) {
    await Promise.all(
      tasks.map(async (task) => {
        const after = await first.position(task);
        await first.commit({ task, append: { after, entries: [`${task} ${round}`] } });
      }),
    );
  }
  const check = async (store: Storage) => {
    for (const task of tasks) {
      const found = (await Array.fromAsync(store.read(task))).map(({ data }) => data);
      expect(found).toEqual(Array.from({ length: 25 }, (_, round) => `${task} ${round}`));
    }
  };
  await check(first);
  const second = await openSqliteStorage({ path }); // finds a tail of another's
  await check(second);
  await second.close();
  expect(await Array.fromAsync(first.verify())).toEqual([]);
  await first.close();
});
