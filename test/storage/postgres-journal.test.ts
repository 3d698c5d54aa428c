import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openPostgresStorage } from '../../src/postgres.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { collect, expectCode, fill, numbersOf } from '../contract/support.ts';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';

let database: TestDatabase;
let store: Storage;

beforeEach(async () => {
  database = await freshDatabase();
  store = await openPostgresStorage({ url: database.url });
});

afterEach(async () => {
  await store.close();
  await database.drop();
});

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

test('more entries than a page holds come in order, both ways, around gaps, before and after compaction', async () => {
  await fill(store, 't1', 1300);
  for (const cut of [
    { from: 400, to: 520 },
    { from: 521, to: 600 },
    { from: 1000, to: 1000 },
    { from: 1290, to: 1300 },
  ]) {
    await store.commit({ task: 't1', cut });
  }
  const left = [...numbers(1, 399), ...numbers(601, 999), ...numbers(1001, 1289)];
  const check = async () => {
    expect(await numbersOf(store, 't1')).toEqual(left);
    expect(await numbersOf(store, 't1', { reverse: true })).toEqual(left.toReversed());
    for (const [from, to] of [
      [399, 601],
      [450, 700],
      [400, 600],
      [521, 521],
      [999, 1001],
      [1280, 5000],
      [1295, 1300],
    ] as const) {
      const between = left.filter((n) => n >= from && n <= to);
      expect(await numbersOf(store, 't1', { from, to })).toEqual(between);
      expect(await numbersOf(store, 't1', { from, to, reverse: true })).toEqual(between.toReversed());
    }
    expect(await numbersOf(store, 't1', { from: 398, limit: 4 })).toEqual([398, 399, 601, 602]);
    expect(await numbersOf(store, 't1', { reverse: true, limit: 2 })).toEqual([1289, 1288]);
    expect(await collect(store.verify())).toEqual([]);
  };
  await check();
  expect(await store.compact('t1')).toBeGreaterThan(0);
  await check();
  expect(await store.compact('t1')).toBe(0);
  const [{ count } = {}] = await database.query('SELECT count(*)::int AS count FROM vibe_engine.journal');
  expect(count).toBe(left.length + 3);
});

test('a gap can be made next to one that was compacted, and compacted with it', async () => {
  await fill(store, 't1', 10);
  await store.commit({ task: 't1', cut: { from: 3, to: 5 } });
  await store.compact('t1');
  await store.commit({ task: 't1', cut: { from: 2, to: 7 } });
  expect(await numbersOf(store, 't1')).toEqual([1, 8, 9, 10]);
  await store.compact('t1');
  expect(await numbersOf(store, 't1', { reverse: true })).toEqual([10, 9, 8, 1]);
  const gaps = await database.query(
    'SELECT cut_from, seq FROM vibe_engine.journal WHERE cut_from IS NOT NULL',
  );
  expect(gaps).toEqual([{ cut_from: '2', seq: '7' }]);
});

test('the next page is on its way when one is handed out', async () => {
  await fill(store, 't1', 100);
  const sent = vi.spyOn(pg.Client.prototype, 'query');
  const asked = () => sent.mock.calls.filter(([query]) => /page$/.test(String(Object(query).name))).length;
  for await (const part of store.readParts('t1')) {
    expect(part).toHaveLength(64);
    expect(asked()).toBe(2);
    break;
  }
  sent.mockRestore();
});

test('a page of large entries is bounded by its bytes', async () => {
  const large = 'x'.repeat(700_000);
  for (let i = 0; i < 4; i++) {
    const after = await store.position('t1');
    await store.commit({ task: 't1', append: { after, entries: [large, i] } });
  }
  expect(await numbersOf(store, 't1')).toEqual(numbers(1, 8));
  expect(await numbersOf(store, 't1', { reverse: true })).toEqual(numbers(1, 8).toReversed());
  const parts = await collect(store.backend.read('t1', {}));
  const sizes = parts.map((part) => part.reduce((sum, { text }) => sum + text.length, 0));
  expect(Math.max(...sizes)).toBeLessThan(2 * 1_000_000);
});

test('a text that is gone from the row of a large entry is damage', async () => {
  await fill(store, 't1', 2);
  const after = await store.position('t1');
  await store.commit({ task: 't1', append: { after, entries: ['x'.repeat(40_000), 'last'] } });
  await database.query('UPDATE vibe_engine.journal SET data = NULL WHERE seq = 3');
  await expectCode(collect(store.read('t1')), 'CORRUPT');
  expect((await store.repair('t1'))!.kept.seq).toBe(2);
});

describe('damage behind the store', () => {
  test.each([
    ['an entry was changed', `UPDATE journal SET data = '"x"' WHERE seq = 5`, 4],
    ['a hash was changed', `UPDATE journal SET hash = repeat('a', 64) WHERE seq = 5`, 4],
    ['an entry is gone', 'DELETE FROM journal WHERE seq = 5', 4],
    ['several entries are gone', 'DELETE FROM journal WHERE seq BETWEEN 4 AND 6', 3],
    ['the first is gone', 'DELETE FROM journal WHERE seq = 1', 0],
    ['an entry was hidden', 'UPDATE journal SET cut_from = seq WHERE seq = 5', 4],
    [
      'a gap was forged over entries',
      `UPDATE journal SET cut_from = 3, seal = repeat('a', 64) WHERE seq = 5`,
      4,
    ],
    ['a gap was widened', 'UPDATE journal SET cut_from = 6 WHERE seq = 8', 6],
    ['a gap lost its end', 'DELETE FROM journal WHERE seq = 8', 6],
    ['the hash of a gap was changed', `UPDATE journal SET hash = repeat('a', 64) WHERE seq = 8`, 6],
    [
      'two entries changed places',
      'UPDATE journal SET seq = -seq WHERE seq IN (4, 5); UPDATE journal SET seq = seq + 9 WHERE seq < 0',
      3,
    ],
    ['the newest is gone', 'DELETE FROM journal WHERE seq = 12', 11],
    ['the head is behind', 'UPDATE heads SET seq = 11', 12],
    ['the head has another hash', `UPDATE heads SET hash = repeat('a', 64)`, 12],
    ['the head is gone', 'DELETE FROM heads', 12],
  ])('%s: found by reading and by verify, and mended', async (_what, sql, readable) => {
    await fill(store, 't1', 12);
    await store.commit({ task: 't1', cut: { from: 7, to: 8 } });
    await store.compact('t1');
    await database.query(`SET search_path = vibe_engine; ${sql}`);

    const seen: number[] = [];
    const reading = (async () => {
      for await (const { seq } of store.read('t1')) seen.push(seq);
    })();
    await expectCode(reading, 'CORRUPT');
    const good = numbers(1, readable).filter((n) => n !== 7 && n !== 8);
    expect(seen).toEqual(good);
    await expectCode(collect(store.read('t1', { reverse: true })), 'CORRUPT');
    expect(await collect(store.verify())).toMatchObject([{ code: 'CORRUPT', task: 't1' }]);

    const repaired = await store.repair('t1');
    expect(repaired!.kept.seq).toBe(readable);
    expect(await store.position('t1')).toEqual(repaired!.kept);
    expect(await numbersOf(store, 't1')).toEqual(good);
    expect(await collect(store.verify())).toEqual([]);
    expect(await store.repair('t1')).toBeNull();
    await store.commit({ task: 't1', append: { after: repaired!.kept, entries: ['goes on'] } });
  });

  test('a task that is hidden from the lists is found by verify', async () => {
    await fill(store, 't1', 1);
    await database.query('UPDATE vibe_engine.heads SET listed = false');
    expect(await collect(store.verify())).toMatchObject([{ code: 'CORRUPT', task: 't1', where: 'heads' }]);
  });

  test('a record in the wrong place is not handed out', async () => {
    await store.save('config', 'a', 1);
    await database.query(`UPDATE vibe_engine.persistence SET key = 'b'`);
    await expectCode(store.load('config', 'b'), 'CORRUPT');
    expect(await collect(store.verify())).toMatchObject([{ code: 'CORRUPT', task: null }]);
  });
});
