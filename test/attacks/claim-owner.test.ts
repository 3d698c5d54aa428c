/** PostgreSQL: whose claim it is counts, not only its number; and keeping claims alive stays cheap, however many tasks there are. */
import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { openPostgresStorage } from '../../src/storage/postgres/open.ts';
import { inSchema, migrationsFrom, VERSION } from '../../src/storage/postgres/schema.ts';
import { RENEW } from '../../src/storage/postgres/sql/claims.ts';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';

const opened: TestDatabase[] = [];
afterAll(async () => {
  for (const database of opened) await database.drop();
});
const fresh = async (): Promise<TestDatabase> => {
  const database = await freshDatabase();
  opened.push(database);
  return database;
};

const FENCED = { code: 'FENCED_OUT' };

test('a claim of the same number that is not ours lets nothing be written', async () => {
  const database = await fresh();
  const store = await openPostgresStorage({ url: database.url });
  const { fence } = await store.claim('t');
  const record = (n: number) => ({ category: 'tasks', key: 't/state', data: { n } });
  const append = async () => ({ after: await store.position('t'), entries: [{}] });
  await store.commit({ task: 't', fence, records: [record(1)], append: await append() });
  // The server was put back to an earlier day, and the number was given out again.
  await database.query('UPDATE vibe_engine.heads SET owner = $1', [randomUUID()]);
  const step = { task: 't', fence, records: [record(2)], append: await append() };
  await expect(store.commit(step)).rejects.toMatchObject(FENCED);
  await expect(store.commit({ task: 't', fence, records: [record(3)] })).rejects.toMatchObject(FENCED);
  const several = Array.from({ length: 8 }, () =>
    store.commit({ task: 't', fence, records: [record(4)] }).catch((error) => error),
  );
  for (const refused of await Promise.all(several)) expect(refused).toMatchObject(FENCED);
  await expect(store.compact('t', { fence })).rejects.toMatchObject(FENCED);
  await expect(store.repair('t', { fence })).rejects.toMatchObject(FENCED);
  await expect(store.removeTask('t', { fence })).rejects.toMatchObject(FENCED);
  expect(await store.load('tasks', 't/state')).toEqual({ n: 1 });
  await store.close();
});

test('a fence that no claim of this store has is nobody’s', async () => {
  const database = await fresh();
  const [first, second] = [
    await openPostgresStorage({ url: database.url }),
    await openPostgresStorage({ url: database.url }),
  ];
  const { fence } = await first.claim('t');
  const commit = { task: 't', fence, records: [{ category: 'tasks', key: 't/state', data: 1 }] };
  await expect(second.commit(commit)).rejects.toMatchObject(FENCED);
  await first.commit(commit);
  await first.close();
  await second.close();
});

test('a store of the first version is brought up to date, with all that is in it', async () => {
  const database = await fresh();
  const first = migrationsFrom(0, 'vibe_engine', 1);
  await database.query('CREATE SCHEMA vibe_engine');
  await database.query(first);
  const version = async () =>
    (await database.query("SELECT value FROM vibe_engine.meta WHERE key = 'version'"))[0]?.value;
  expect(await version()).toBe('1');
  // As a worker of that version writes, before and after.
  const write = (n: number, seq: number, hash: string) =>
    database.query(
      `SELECT vibe_engine.commit_one(NULL, 't', NULL, ${seq}, '${hash}', NULL, NULL, 0, NULL, '{}', '{}', true, false,
        1, '{tasks}', '{t/x${n}}', '{"1"}', '{sum}', NULL) AS answer`,
    );
  const start = '0'.repeat(64);
  expect((await write(1, 0, start))[0]?.answer).toContain('"records"');
  const store = await openPostgresStorage({ url: database.url });
  expect(await version()).toBe(String(VERSION));
  expect((await store.tasks()).keys).toEqual(['t']);
  expect((await write(2, 0, start))[0]?.answer).toContain('"records"');
  const { fence } = await store.claim('t');
  await store.commit({ task: 't', fence, append: { after: await store.position('t'), entries: [1] } });
  expect((await store.position('t')).seq).toBe(1);
  await store.close();
});

test('leases are renewed by an index', async () => {
  const database = await fresh();
  const store = await openPostgresStorage({ url: database.url });
  await database.query(`INSERT INTO vibe_engine.heads (task, owner, lease_until)
    SELECT 'task-' || n, CASE WHEN n % 1000 = 0 THEN gen_random_uuid() END, now() + interval '1 hour'
    FROM generate_series(1, 20000) n`);
  await database.query('ANALYZE vibe_engine.heads');
  const [{ owners }] = (await database.query(
    'SELECT array_agg(owner)::text AS owners FROM vibe_engine.heads WHERE owner IS NOT NULL',
  )) as [{ owners: string }];
  const client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query(`PREPARE renew AS ${inSchema(RENEW.text, 'vibe_engine')}`);
  for (const mode of ['force_custom_plan', 'force_generic_plan']) {
    await client.query(`SET plan_cache_mode = ${mode}`);
    const { rows } = await client.query(`EXPLAIN EXECUTE renew ('${owners}', 1000)`);
    const plan = JSON.stringify(rows);
    expect(plan).toContain('heads_owner');
    expect(plan).not.toContain('Seq Scan on heads');
  }
  await client.end();
  await store.close();
});
