import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openPostgresStorage } from '../../src/postgres.ts';
import { START } from '../../src/storage/chain.ts';
import type { Commit, Storage } from '../../src/storage/contract.ts';
import { collect } from '../contract/support.ts';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';
import { lockHead, waitingForLocks } from '../support/postgres-locks.ts';
import { type Break, startProxyBefore, type TcpProxy } from '../support/tcp-proxy.ts';

let database: TestDatabase;
let proxy: TcpProxy;
/** Reaches the server through the proxy. */
let store: Storage;
/** Reaches it directly. */
let other: Storage;

beforeEach(async () => {
  database = await freshDatabase();
  const before = await startProxyBefore(database.url);
  proxy = before.proxy;
  store = await openPostgresStorage({ url: before.url });
  other = await openPostgresStorage({ url: database.url });
});

afterEach(async () => {
  await store.close();
  await other.close();
  await proxy.close();
  await database.drop();
});

const BREAKS: readonly Break[] = ['before', 'after'];

describe.each(BREAKS)('a connection that breaks %s the server has written', (where) => {
  test('appends a step exactly once', async () => {
    const { position } = await store.commit(step('t1', START, 'first'));
    const broken = proxy.breakOnce(where, 'the marker');
    const receipt = await store.commit(step('t1', position!, 'the marker'));
    await broken;
    expect(receipt.position!.seq).toBe(2);
    expect(receipt.records[0]).toMatchObject({ existed: true });
    expect(await entries('t1')).toEqual(['first', 'the marker']);
    expect(await other.position('t1')).toEqual(receipt.position);
    expect(await other.get('tasks', 't1/state')).toMatchObject({ revision: receipt.records[0]!.revision });
  });

  test('appends several entries and begins the task exactly once', async () => {
    const broken = proxy.breakOnce(where, 'the marker');
    const commit: Commit = { task: 't1', append: { after: START, entries: ['one', 'the marker', 'three'] } };
    const receipt = await store.commit(commit);
    await broken;
    expect(receipt.position!.seq).toBe(3);
    expect(await entries('t1')).toEqual(['one', 'the marker', 'three']);
  });

  test('saves a record exactly once', async () => {
    const broken = proxy.breakOnce(where, 'the marker');
    const write = { category: 'config', key: 'a', data: 'the marker' };
    const { records } = await store.commit({ task: null, records: [write] });
    await broken;
    expect(await other.get('config', 'a')).toMatchObject({
      data: 'the marker',
      revision: records[0]!.revision,
    });
    const [numbers] = await database.query('SELECT last_value FROM vibe_engine.numbers');
    expect(numbers!.last_value).toBe(String(records[0]!.revision));
  });

  test('tells a deletion that happened as such', async () => {
    await other.save('config', 'the marker', 1);
    const broken = proxy.breakOnce(where, 'the marker');
    expect(await store.delete('config', 'the marker')).toBe(true);
    await broken;
    expect(await other.get('config', 'the marker')).toBeNull();
  });

  test('tells a removed task as such', async () => {
    await other.commit(step('the-marker', START, 'entry'));
    const broken = proxy.breakOnce(where, 'the-marker');
    expect(await store.removeTask('the-marker')).toBe(true);
    await broken;
    expect((await other.tasks()).keys).toEqual([]);
  });

  test('counts deleted blobs once', async () => {
    const ids = await other.putBlobs('the-marker', [{ kind: 'x', bytes: Buffer.from('content') }]);
    const broken = proxy.breakOnce(where, 'the-marker');
    expect(await store.deleteBlobs('the-marker', ids)).toBe(1);
    await broken;
  });

  test('claims a task once, and keeps it', async () => {
    const broken = proxy.breakOnce(where, 'the-marker');
    const claim = await store.claim('the-marker');
    await broken;
    expect((await other.owner('the-marker'))!.fence).toBe(claim.fence);
    await store.commit({ ...step('the-marker', START, 'mine'), fence: claim.fence });
    await claim.release();
    expect(await other.owner('the-marker')).toBeNull();
  });

  test('answers everyone in a group that was cut off', async () => {
    const tasks = Array.from({ length: 12 }, (_, i) => `t${i}`);
    await Promise.all(tasks.map((task) => store.commit(step(task, START, 'first'))));
    const positions = await Promise.all(tasks.map((task) => store.position(task)));
    const broken = proxy.breakOnce(where, 'the marker');
    const receipts = await Promise.all(
      tasks.map((task, i) => store.commit(step(task, positions[i]!, 'the marker'))),
    );
    await broken;
    expect(receipts.map(({ position }) => position!.seq)).toEqual(tasks.map(() => 2));
    for (const task of tasks) expect(await entries(task)).toEqual(['first', 'the marker']);
  });
});

test('a save that was not heard does not undo what another wrote since', async () => {
  const broken = proxy.breakOnce('after', 'the marker');
  const saved = store.commit({
    task: null,
    records: [{ category: 'config', key: 'a', data: 'the marker' }],
  });
  await broken;
  await other.save('config', 'a', 'by the other');
  const { revision } = (await saved).records[0]!;
  const found = await other.get('config', 'a');
  expect(found!.data).toBe('by the other');
  expect(found!.revision).toBeGreaterThan(revision);
});

test('two copies of a commit that run at the same time write once', async () => {
  const { position } = await store.commit(step('t1', START, 'first'));
  const holder = await lockHead(database, 't1');
  const broken = proxy.breakOnce('during', 'the marker');
  const commit = store.commit(step('t1', position!, 'the marker'));
  await broken;
  await waitingForLocks(database, 2);
  await holder.release();
  expect((await commit).position!.seq).toBe(2);
  expect(await entries('t1')).toEqual(['first', 'the marker']);
});

test('two copies of an unconditional save that run at the same time write once', async () => {
  await other.save('tasks', 't1/state', 'first');
  await database.query(`CREATE TABLE written (data text);
    CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN INSERT INTO public.written VALUES (new.data); RETURN new; END';
    CREATE TRIGGER note AFTER UPDATE ON vibe_engine.persistence FOR EACH ROW EXECUTE FUNCTION note()`);
  const holder = await lockHead(database, 't1');
  const broken = proxy.breakOnce('during', 'the marker');
  const commit = store.commit({
    task: 't1',
    records: [{ category: 'tasks', key: 't1/state', data: 'the marker' }],
  });
  await broken;
  await waitingForLocks(database, 2);
  await holder.release();
  const receipt = await commit;
  expect(await other.get('tasks', 't1/state')).toMatchObject({
    data: 'the marker',
    revision: receipt.records[0]!.revision,
  });
  expect(await database.query('SELECT data FROM written')).toEqual([{ data: '"the marker"' }]);
});

test('a refusal that was not heard is the same refusal when asked again', async () => {
  await other.commit(step('t1', START, 'first'));
  const broken = proxy.breakOnce('after', 'the marker');
  await expect(store.commit(step('t1', START, 'the marker'))).rejects.toMatchObject({ code: 'STALE_WRITE' });
  await broken;
  expect(await entries('t1')).toEqual(['first']);
});

test('what is kept to answer again does not grow, and goes when the store is closed', async () => {
  let position = START;
  for (let i = 0; i < 20; i++) position = (await store.commit(step('t1', position, i))).position!;
  const [{ count } = {}] = await database.query('SELECT count(*)::int AS count FROM vibe_engine.lanes');
  expect(count).toBe(1);
  await store.close();
  expect(await database.query('SELECT * FROM vibe_engine.lanes')).toEqual([]);
});

function step(task: string, after: typeof START, entry: unknown): Commit {
  return {
    task,
    append: { after, entries: [entry] },
    records: [{ category: 'tasks', key: `${task}/state`, data: { entry } }],
  };
}

async function entries(task: string): Promise<unknown[]> {
  return (await collect(other.read(task))).map(({ data }) => data);
}
