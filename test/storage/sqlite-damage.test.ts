/** Damage done to the tables one by one: noticed, named, and mended as far as it can be. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { Problem, Storage } from '../../src/storage/contract.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/open.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();

/** Two tasks with 200 entries each, more than are indexed at a time, entries 50 to 60 of t1 cut. */
async function storeWith(damage: string): Promise<Storage> {
  const path = join(tempDir(), 'store.db');
  const store = await openSqliteStorage({ path });
  for (let n = 1; n <= 200; n++) {
    for (const task of ['t1', 't2']) {
      const after = await store.position(task);
      const records = [{ category: 'tasks', key: `${task}/state`, data: n }];
      await store.commit({ task, append: { after, entries: [n] }, records });
    }
  }
  await store.commit({ task: 't1', cut: { from: 50, to: 60 } });
  await store.compact('t1');
  await store.save('config', 'a', 1);
  await store.close();
  const db = new DatabaseSync(path, { defensive: false });
  db.exec(damage);
  db.close();
  return openSqliteStorage({ path });
}

async function problemsOf(store: Storage): Promise<Problem[]> {
  const found: Problem[] = [];
  for await (const problem of store.verify()) found.push(problem);
  return found;
}

async function numbersOf(store: Storage, task: string): Promise<number[]> {
  const found: number[] = [];
  for await (const { seq } of store.read(task)) found.push(seq);
  return found;
}

const T1 = "(SELECT id FROM heads WHERE task = 't1')";
const upTo = (last: number) => Array.from({ length: last }, (_, i) => i + 1);
const WHOLE = upTo(200).filter((seq) => seq < 50 || seq > 60);

const JOURNAL_DAMAGE: Record<string, { sql: string; kept: number }> = {
  'an entry that is not text': {
    sql: `PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ')') WHERE name = 'journal';
      PRAGMA writable_schema = RESET;
      UPDATE journal SET data = x'37' WHERE head = ${T1} AND seq = 120;
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = sql || ' STRICT' WHERE name = 'journal';
      PRAGMA writable_schema = RESET`,
    kept: 119,
  },
  'an entry that says something else': {
    sql: `UPDATE journal SET data = '7' WHERE head = ${T1} AND seq = 120`,
    kept: 119,
  },
  'an entry with another hash': {
    sql: `UPDATE journal SET hash = 'x' WHERE head = ${T1} AND seq = 120`,
    kept: 119,
  },
  'an entry with another number': {
    sql: `UPDATE journal SET seq = 777 WHERE head = ${T1} AND seq = 120`,
    kept: 119,
  },
  'an entry that is gone': { sql: `DELETE FROM journal WHERE head = ${T1} AND seq = 120`, kept: 119 },
  'the last entry gone': { sql: `DELETE FROM journal WHERE head = ${T1} AND seq = 200`, kept: 199 },
  'an entry that is not indexed': { sql: `DELETE FROM places WHERE head = ${T1} AND seq = 120`, kept: 200 },
  'the index of another entry': {
    sql: `UPDATE places SET row = row + 1 WHERE head = ${T1} AND seq = 120`,
    kept: 200,
  },
  'a head that ends too soon': { sql: "UPDATE heads SET seq = 100 WHERE task = 't1'", kept: 200 },
  'a head with another fence': { sql: "UPDATE heads SET fence = 99 WHERE task = 't1'", kept: 200 },
  'a cut that reaches further': { sql: `UPDATE cuts SET last = 70 WHERE head = ${T1}`, kept: 49 },
  'a mark of the index that is wrong': { sql: 'UPDATE indexed SET row = row - 10', kept: 200 },
};

describe('journals', () => {
  for (const [what, { sql, kept }] of Object.entries(JOURNAL_DAMAGE)) {
    it(`${what}: noticed by reading and by verify, mended by repair`, async () => {
      const store = await storeWith(sql);
      await expect(numbersOf(store, 't1')).rejects.toMatchObject({ code: 'CORRUPT' });
      expect((await problemsOf(store)).length).toBeGreaterThan(0);

      const repair = await store.repair('t1');
      expect(repair).toMatchObject({ kept: { seq: kept }, aside: expect.stringContaining('damaged') });
      expect(await numbersOf(store, 't1')).toEqual(WHOLE.filter((seq) => seq <= kept));
      expect(await numbersOf(store, 't2')).toEqual(upTo(200));
      const after = await store.position('t1');
      await store.commit({ task: 't1', append: { after, entries: ['on'] }, records: [] });
      await store.save('tasks', 't1/state', 'on');
      expect(await store.repair('t1')).toBeNull();
      expect(await problemsOf(store)).toEqual([]);
      await store.close();
    });
  }

  it('what repair sets aside is kept, entry by entry', async () => {
    const store = await storeWith(JOURNAL_DAMAGE['an entry that says something else']!.sql);
    const repair = await store.repair('t1');
    expect(repair!.aside).toBe('damaged rows 1-81');
    await store.close();
  });
});

describe('other tables', () => {
  it('the head of the records outside tasks is mended by repair without a task', async () => {
    const store = await storeWith("UPDATE heads SET revision = 5 WHERE task = ''");
    expect((await problemsOf(store)).length).toBeGreaterThan(0);
    await expect(store.save('config', 'b', 1)).rejects.toMatchObject({ code: 'CORRUPT' });
    expect(await store.repair(null)).toMatchObject({ message: expect.stringContaining('checksum') });
    expect(await store.repair(null)).toBeNull();
    await store.save('config', 'b', 1);
    expect(await problemsOf(store)).toEqual([]);
    await store.close();
  });

  it('a record moved to another key is noticed', async () => {
    const store = await storeWith("UPDATE persistence SET key = 'b' WHERE key = 'a'");
    await expect(store.load('config', 'b')).rejects.toMatchObject({ code: 'CORRUPT' });
    expect(await problemsOf(store)).toMatchObject([{ where: expect.stringContaining('persistence row') }]);
    await store.save('config', 'b', 'new');
    expect(await problemsOf(store)).toEqual([]);
    await store.close();
  });

  it('damage to one task leaves the others writable', async () => {
    const store = await storeWith("UPDATE heads SET seq = 100 WHERE task = 't1'");
    for (let n = 0; n < 300; n++) {
      const after = await store.position('t2');
      await store.commit({ task: 't2', append: { after, entries: [n] } });
    }
    expect(await numbersOf(store, 't2')).toHaveLength(500);
    await store.close();
  });
});
