import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPostgresStorage } from '../../src/postgres.ts';
import { START } from '../../src/storage/chain.ts';
import type { Position, Storage } from '../../src/storage/contract.ts';
import { collect, expectCode } from '../contract/support.ts';
import { freshDatabase, type PostgresServer, startPostgresServer } from '../support/postgres.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgresServer();
});
afterAll(() => server.stop());

test('a server that is killed and comes back again and again loses nothing and doubles nothing', async () => {
  const { url } = await freshDatabase(server);
  const store = await openPostgresStorage({ url });
  const tasks = ['t1', 't2', 't3', 't4'];
  let stop = false;
  const acknowledged = new Map<string, number>();
  const writers = tasks.map(async (task) => {
    let position: Position = START;
    while (!stop) {
      const receipt = await store.commit({
        task,
        append: { after: position, entries: [{ number: position.seq + 1 }] },
        records: [{ category: 'tasks', key: `${task}/state`, data: { number: position.seq + 1 } }],
      });
      position = receipt.position!;
      acknowledged.set(task, position.seq);
    }
  });
  for (let crash = 1; crash <= 3; crash++) {
    const before = acknowledged.get('t1') ?? 0;
    await until(() => (acknowledged.get('t1') ?? 0) > before + 20);
    await server.crash();
    await server.restart();
  }
  stop = true;
  await Promise.all(writers);
  for (const task of tasks) {
    const numbers = (await collect(store.read(task))).map(({ data }) => (data as { number: number }).number);
    expect(numbers).toEqual(Array.from({ length: acknowledged.get(task)! }, (_, i) => i + 1));
    expect(await store.load('tasks', `${task}/state`)).toEqual({ number: acknowledged.get(task) });
  }
  expect(await collect(store.verify())).toEqual([]);
  await store.close();
});

test('reads and idle connections survive a restart', async () => {
  const { url } = await freshDatabase(server);
  const store = await openPostgresStorage({ url });
  await Promise.all(Array.from({ length: 8 }, (_, i) => store.save('config', `key-${i}`, i)));
  await Promise.all(Array.from({ length: 8 }, (_, i) => store.load('config', `key-${i}`)));
  const restarted = server.restart();
  const reads = Array.from({ length: 20 }, async () => (await store.list('config')).length);
  expect(new Set(await Promise.all(reads))).toEqual(new Set([8]));
  await restarted;
  expect(await store.load('config', 'key-3')).toBe(3);
  await store.close();
});

test('a server that stays away makes every call STORE_UNAVAILABLE, and the store works when it is back', async () => {
  const { url } = await freshDatabase(server);
  const store = await openPostgresStorage({ url, reconnect_seconds: 0.3 });
  await store.save('config', 'a', 1);
  const claim = await store.claim('t1');
  await server.crash();
  for (const call of everyCall(store)) await expectCode(call(), 'STORE_UNAVAILABLE');
  await expect(store.save('config', 'a', 2)).rejects.toMatchObject({ data: { outcome: 'unknown' } });
  await server.restart();
  expect(await store.load('config', 'a')).toBe(1);
  await store.commit({
    task: 't1',
    fence: claim.fence,
    records: [{ category: 'tasks', key: 't1/state', data: 1 }],
  });
  await store.close();
});

test('a store can be closed while the server is away', async () => {
  const { url } = await freshDatabase(server);
  const store = await openPostgresStorage({ url });
  await store.claim('t1');
  await store.save('config', 'a', 1);
  await server.crash();
  await store.close();
  await expectCode(store.load('config', 'a'), 'STORE_CLOSED');
  await server.restart();
});

function everyCall(store: Storage): (() => Promise<unknown>)[] {
  return [
    () => store.save('config', 'b', 1),
    () => store.load('config', 'a'),
    () => store.list('config'),
    () => store.tasks(),
    () => store.position('t1'),
    () => collect(store.read('t1')),
    () => store.putBlobs(null, [{ kind: 'x', bytes: Buffer.from('x') }]),
    () => collect(store.listBlobs(null)),
    () => store.claim('t2'),
    () => store.owner('t1'),
    () => store.removeTask('t3'),
    () => collect(store.verify()),
  ];
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}
