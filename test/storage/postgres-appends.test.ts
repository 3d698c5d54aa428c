/** Entries that the owner of a task appends, alone or with a record: written once, without a row that says so. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openPostgresStorage } from '../../src/postgres.ts';
import { next } from '../../src/storage/chain.ts';
import type { Claim, Position, Receipt, Storage } from '../../src/storage/contract.ts';
import { collect, dataOf, expectCode } from '../contract/support.ts';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';
import { lockHead, waitingForLocks } from '../support/postgres-locks.ts';
import { type Break, startProxyBefore, type TcpProxy } from '../support/tcp-proxy.ts';

let database: TestDatabase;
let proxy: TcpProxy;
/** Reaches the server through the proxy. */
let store: Storage;

beforeEach(async () => {
  database = await freshDatabase();
  const before = await startProxyBefore(database.url);
  proxy = before.proxy;
  store = await openPostgresStorage({ url: before.url });
});

afterEach(async () => {
  await store.close();
  await proxy.close();
  await database.drop();
});

test('an append leaves nothing to answer from', async () => {
  const [owned] = await own(['t1']);
  const before = await lanes();
  for (let i = 0; i < 5; i++) await append(owned!, [`more ${i}`]);
  await Promise.all((await own(tasks(12))).map((each) => append(each, ['a', 'b', 'c'])));
  const many = await own(tasks(12).map((task) => `s${task}`));
  for (let i = 0; i < 5; i++) await step(owned!, `step ${i}`);
  await Promise.all(many.map((each) => step(each, 'with a record')));
  expect(await lanes()).toBeLessThanOrEqual(before + 24); // Those that began the tasks.
  expect(await dataOf(store, 't1')).toHaveLength(11);
  expect(await dataOf(store, 'g3')).toEqual(['first', 'a', 'b', 'c']);
  expect(await collect(store.verify())).toEqual([]);
});

const BREAKS: readonly Break[] = ['before', 'after'];

describe.each(BREAKS)('a connection that breaks %s the server has written', (where) => {
  test('appends an entry once', async () => {
    const [owned] = await own(['t1']);
    const broken = proxy.breakOnce(where, 'the marker');
    expect((await append(owned!, ['the marker'])).seq).toBe(2);
    await broken;
    expect((await append(owned!, ['next'])).seq).toBe(3);
    expect(await dataOf(store, 't1')).toEqual(['first', 'the marker', 'next']);
  });

  test('appends entries of many tasks once', async () => {
    const owned = await own(tasks(12));
    const broken = proxy.breakOnce(where, 'the marker');
    const ends = await Promise.all(owned.map((each) => append(each, ['one', 'the marker'])));
    await broken;
    expect(ends.map(({ seq }) => seq)).toEqual(owned.map(() => 3));
    for (const { task } of owned) expect(await dataOf(store, task)).toEqual(['first', 'one', 'the marker']);
    expect(await collect(store.verify())).toEqual([]);
  });

  test.each([false, true])(
    'writes an entry and a record once, which was there before: %s',
    async (existed) => {
      const [owned] = await own(['t1']);
      if (existed) await step(owned!, 'before');
      const broken = proxy.breakOnce(where, 'the marker');
      const { records } = await step(owned!, 'the marker');
      await broken;
      const found = await store.get('tasks', 't1/state');
      expect(found).toMatchObject({ data: 'the marker', revision: records[0]!.revision });
      expect(records).toEqual([{ revision: found!.revision, location: await rowOf('t1'), existed }]);
      expect((await step(owned!, 'next')).records[0]!.revision).toBeGreaterThan(found!.revision);
      expect((await dataOf(store, 't1')).slice(-2)).toEqual(['the marker', 'next']);
    },
  );

  test('writes entries of many tasks once, some of them with a record', async () => {
    const owned = await own(tasks(12));
    await step(owned[2]!, 'before');
    const broken = proxy.breakOnce(where, 'the marker');
    const receipts = await Promise.all(
      owned.map((each, i) => (i % 2 === 0 ? step(each, 'the marker') : append(each, ['one', 'the marker']))),
    );
    await broken;
    for (const [i, { task }] of owned.entries()) {
      const found = await store.get('tasks', `${task}/state`);
      if (i % 2 === 1) expect(found).toBeNull();
      else {
        const [record] = (receipts[i] as Receipt).records;
        expect(record).toEqual({ revision: found!.revision, location: await rowOf(task), existed: i === 2 });
      }
      expect((await dataOf(store, task)).at(-1)).toBe('the marker');
    }
    expect(await collect(store.verify())).toEqual([]);
  });
});

test('two copies of an append that run at the same time write once', async () => {
  const [owned] = await own(['t1']);
  const holder = await lockHead(database, 't1');
  const broken = proxy.breakOnce('during', 'the marker');
  const appending = append(owned!, ['the marker']);
  await broken;
  await waitingForLocks(database, 2);
  await holder.release();
  expect((await appending).seq).toBe(2);
  expect(await dataOf(store, 't1')).toEqual(['first', 'the marker']);
});

test('an append that was written before the task was taken over is told as such', async () => {
  const [owned] = await own(['t1']);
  const broken = proxy.breakOnce('after', 'the marker');
  const appending = append(owned!, ['the marker']);
  await broken;
  await database.query('UPDATE vibe_engine.heads SET owner = gen_random_uuid(), fence = fence + 1');
  expect((await appending).seq).toBe(2);
  await expectCode(append(owned!, ['more']), 'FENCED_OUT');
});

test('what was written before the task was taken over has its own receipt, whatever the next owner wrote', async () => {
  const [owned] = await own(['t1']);
  const broken = proxy.breakOnce('after', 'the marker');
  const stepping = step(owned!, 'the marker');
  await broken;
  await database.query(`UPDATE vibe_engine.heads SET owner = gen_random_uuid(), fence = fence + 1;
    UPDATE vibe_engine.persistence SET revision = nextval('vibe_engine.numbers')`);
  const [{ revision, existed } = never()] = (await stepping).records;
  expect(existed).toBe(false);
  expect(revision).toBe((await store.get('tasks', 't1/state'))!.revision - 1);
  await expectCode(step(owned!, 'more'), 'FENCED_OUT');
});

test('what an older program wrote stays as it is, and goes on', async () => {
  const [owned] = await own(['t1']);
  await append(owned!, ['old']);
  await store.close();
  await database.query(`ALTER TABLE vibe_engine.journal DROP COLUMN receipt;
    UPDATE vibe_engine.meta SET value = '3' WHERE key = 'version'`);
  store = await openPostgresStorage({ url: database.url });
  const claim = await store.claim('t1');
  const again = { task: 't1', claim, position: await store.position('t1') };
  expect((await step(again, 'new')).records).toMatchObject([{ existed: false }]);
  expect(await dataOf(store, 't1')).toEqual(['first', 'old', 'new']);
  expect(await collect(store.verify())).toEqual([]);
});

test('of appends that go together, only those that have to be are refused', async () => {
  const owned = await own(tasks(12));
  const stale = owned[3]!.position;
  await append(owned[3]!, ['in between']);
  await owned[7]!.claim.release();
  const results = await Promise.allSettled(
    owned.map((each, i) => append(i === 3 ? { ...each, position: stale } : each, ['more'])),
  );
  const codes = results.map((result) => (result.status === 'rejected' ? result.reason.code : 'written'));
  const expected = owned.map((): string => 'written');
  expected[3] = 'STALE_WRITE';
  expected[7] = 'FENCED_OUT';
  expect(codes).toEqual(expected);
  expect(await dataOf(store, 'g4')).toEqual(['first', 'more']);
  expect(await collect(store.verify())).toEqual([]);
});

test('an append does not wait for what takes longer', async () => {
  const [slow, quick] = await own(['t1', 't2']);
  const holder = await lockHead(database, 't1');
  const waiting = store.commit({
    task: 't1',
    fence: slow!.claim.fence,
    records: [{ category: 'tasks', key: 't1/state', data: 1 }],
  });
  await waitingForLocks(database, 1);
  expect((await append(quick!, ['more'])).seq).toBe(2);
  await holder.release();
  await waiting;
});

test('commits of one task keep their order, whichever way they go', async () => {
  const [{ claim, position } = never()] = await own(['t1']);
  const owned = { task: 't1', fence: claim.fence };
  const sent: Promise<unknown>[] = [];
  let after = position;
  for (let i = 0; i < 40; i++) {
    sent.push(store.commit({ ...owned, append: { after, entries: [i] } }));
    after = next(after, String(i));
    const records = [{ category: 'tasks', key: 't1/state', data: i }];
    if (i % 3 === 0) sent.push(store.commit({ ...owned, records }));
  }
  await Promise.all(sent);
  expect(await dataOf(store, 't1')).toEqual(['first', ...Array.from({ length: 40 }, (_, i) => i)]);
  expect(await store.load('tasks', 't1/state')).toBe(39);
});

interface Owned {
  readonly task: string;
  readonly claim: Claim;
  position: Position;
}

const tasks = (count: number) => Array.from({ length: count }, (_, i) => `g${i}`);

function never(): never {
  throw new Error('There is none.');
}

/** Claims them and writes the first entry of each. */
function own(names: readonly string[]): Promise<Owned[]> {
  return Promise.all(
    names.map(async (task) => {
      const claim = await store.claim(task);
      const owned = { task, claim, position: await store.position(task) };
      await append(owned, ['first']);
      return owned;
    }),
  );
}

async function append(owned: Owned, entries: readonly unknown[]): Promise<Position> {
  const { task, claim, position: after } = owned;
  const { position } = await store.commit({ task, fence: claim.fence, append: { after, entries } });
  owned.position = position!;
  return position!;
}

/** An entry, and a record with the same data. */
async function step(owned: Owned, data: string): Promise<Receipt> {
  const { task, claim, position: after } = owned;
  const records = [{ category: 'tasks', key: `${task}/state`, data }];
  const commit = { task, fence: claim.fence, records, append: { after, entries: [data] } };
  const receipt = await store.commit(commit);
  owned.position = receipt.position!;
  return receipt;
}

async function rowOf(task: string): Promise<string> {
  const [row] = await database.query(`SELECT id FROM vibe_engine.persistence WHERE key = '${task}/state'`);
  return String(row!.id);
}

async function lanes(): Promise<number> {
  const [row] = await database.query('SELECT coalesce(sum(batch), 0)::int AS n FROM vibe_engine.lanes');
  return Number(row!.n);
}
