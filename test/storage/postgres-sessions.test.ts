/** Claims of processes that are dead are free before their leases end; those of processes that live are not. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openPostgresStorage } from '../../src/postgres.ts';
import { START } from '../../src/storage/chain.ts';
import type { Claim, Commit, Storage } from '../../src/storage/contract.ts';
import { migrationsFrom, VERSION } from '../../src/storage/postgres/schema.ts';
import { expectCode } from '../contract/support.ts';
import {
  freshDatabase,
  type PostgresServer,
  startPostgresServer,
  type TestDatabase,
} from '../support/postgres.ts';
import { startProxyBefore } from '../support/tcp-proxy.ts';

/** Longer than any test takes. */
const LEASE = { lease_seconds: 3600 };

let server: PostgresServer;
let database: TestDatabase;
let store: Storage;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  server = await startPostgresServer();
});
afterAll(() => server.stop());

beforeEach(async () => {
  database = await freshDatabase(server);
  store = await openPostgresStorage({ ...LEASE, url: database.url });
});

afterEach(async () => {
  for (const child of children) await kill(child);
  await store.close();
  await database.drop();
});

test('a task whose owner was killed is claimed long before its lease ends', async () => {
  const owner = await startOwner(['t1', 't2']);
  await expectCode(store.claim('t1'), 'TASK_OWNED');
  const { fence } = (await store.owner('t1'))!;
  await kill(owner);
  const claim = await claimWhenFree('t1');
  expect(claim.fence).toBeGreaterThan(fence);
  expect((await store.owner('t1'))!.fence).toBe(claim.fence);
  expect(await store.owner('t2')).toBeNull();
  await store.commit({ ...write('t1'), fence: claim.fence });
});

test('what a killed process owned is open to writers without a claim', async () => {
  await store.commit(write('t2'));
  const owner = await startOwner(['t1', 't2', 't3']);
  await expectCode(store.commit(write('t1')), 'TASK_OWNED');
  await kill(owner);
  await ended();
  await store.commit(write('t1'));
  expect(await store.removeTask('t2')).toBe(true);
  expect(await store.compact('t3')).toBe(0);
});

test('a stopped process keeps its task, with everything that it holds', async () => {
  const owner = await startOwner(['t1']);
  owner.kill('SIGSTOP');
  await expectCode(store.claim('t1'), 'TASK_OWNED');
  await expectCode(store.commit(write('t1')), 'TASK_OWNED');
  expect(await store.owner('t1')).not.toBeNull();
});

test.each(['restart', 'crash'] as const)(
  'a %s of the server ends sessions, but no claim of a process that lives',
  async (how) => {
    const owner = await startOwner(['t1']);
    owner.kill('SIGSTOP'); // It cannot open another session, and may do something when it continues.
    if (how === 'crash') await server.crash();
    await server.restart();
    expect(await holders()).toEqual([]);
    await expectCode(store.claim('t1'), 'TASK_OWNED');
    owner.kill('SIGCONT');
    await until(async () => (await named()) === 1);
    await kill(owner);
    await claimWhenFree('t1');
  },
);

test('a process that lives and loses its session opens another, and keeps its claims', async () => {
  const owner = await openPostgresStorage({ ...LEASE, url: database.url });
  const claim = await owner.claim('t1');
  for (let i = 0; i < 2; i++) {
    const [ended] = await until(holders);
    await database.query('SELECT pg_terminate_backend($1)', [ended]);
    await until(async () => !(await holders()).includes(ended!) && (await named()) === 1);
    await expectCode(store.claim('t1'), 'TASK_OWNED');
  }
  expect(claim.live()).toBe(true);
  await owner.commit({ ...write('t1'), fence: claim.fence });
  await owner.close();
  expect(await holders()).toEqual([]);
});

test('through a proxy there is no session, and the lease alone counts', async () => {
  const { proxy, url } = await startProxyBefore(database.url);
  const owner = await openPostgresStorage({ ...LEASE, url });
  const claim = await owner.claim('t1');
  // It is renewed once, soon, when the process has looked for a way to the server without anything in between.
  await until(async () => {
    const [row] = await database.query('SELECT lease_until, claimed_at FROM vibe_engine.heads');
    const { lease_until, claimed_at } = row as { lease_until: Date; claimed_at: Date };
    return lease_until.getTime() - claimed_at.getTime() > LEASE.lease_seconds * 1000 + 3;
  });
  expect(await holders()).toEqual([]);
  expect(await database.query('SELECT * FROM vibe_engine.sessions')).toEqual([]);
  await proxy.close();
  await expectCode(store.claim('t1'), 'TASK_OWNED');
  expect(claim.live()).toBe(true);
  await owner.close();
});

test('a claim names its session until it is released', async () => {
  const owner = await openPostgresStorage({ ...LEASE, url: database.url });
  const claim = await owner.claim('t1');
  await owner.claim('t2');
  await until(async () => (await named()) === 2);
  await claim.release();
  expect(await named()).toBe(1);
  await owner.close();
  expect(await named()).toBe(0);
});

test('a store of the second version is brought up to date while one of its workers runs', async () => {
  const old = await freshDatabase(server);
  await old.query('CREATE SCHEMA vibe_engine');
  await old.query(migrationsFrom(0, 'vibe_engine', 2));
  const sum = 'a'.repeat(64);
  await old.query(`INSERT INTO vibe_engine.heads (task, fence, owner, holder, claimed_at, lease_until)
    VALUES ('t1', 7, gen_random_uuid(), 'a worker', now(), now() + interval '1 hour')`);
  const opened = await openPostgresStorage({ ...LEASE, url: old.url });
  expect(await old.query(`SELECT value FROM vibe_engine.meta WHERE key = 'version'`)).toEqual([
    { value: String(VERSION) },
  ]);
  await expectCode(opened.claim('t1'), 'TASK_OWNED');
  expect(await opened.owner('t1')).toMatchObject({ fence: 7, holder: 'a worker' });
  // As that worker writes.
  const answer = await old.query(
    `SELECT vibe_engine.commit_one(NULL, 't1', 7, owner, 0, '${START.hash}', NULL, NULL, 1, '${sum}', '{${sum}}', '{"1"}',
      true, false, 0, '{}', '{}', '{}', '{}', NULL) AS answer FROM vibe_engine.heads`,
  );
  expect(answer[0]!.answer).toContain('"seq":1');
  await opened.close();
  await old.drop();
});

function write(task: string): Commit {
  return { task, records: [{ category: 'tasks', key: `${task}/state`, data: 'written' }] };
}

/** A process that claims the tasks and waits; resolves when all its claims name its session. */
async function startOwner(tasks: readonly string[]): Promise<ChildProcess> {
  const src = new URL('../../src/postgres.ts', import.meta.url).href;
  const options = { ...LEASE, url: database.url };
  const program = `
    const { openPostgresStorage } = await import(${JSON.stringify(src)});
    const store = await openPostgresStorage(${JSON.stringify(options)});
    for (const task of ${JSON.stringify(tasks)}) await store.claim(task);
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' });
  children.add(child);
  await until(async () => (await named()) === tasks.length);
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  if (!children.delete(child)) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** The processes of the server that hold the lock of a session. */
async function holders(): Promise<number[]> {
  const rows = await database.query(
    `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND mode = 'ExclusiveLock'
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  return rows.map(({ pid }) => pid as number);
}

/** How many claims name one that lives. */
async function named(): Promise<number> {
  const [row] = await database.query(`SELECT count(*)::int AS n FROM vibe_engine.sessions
    WHERE server_start = pg_postmaster_start_time() AND vibe_engine.ended_session(owner) IS NULL`);
  return row!.n as number;
}

async function ended(): Promise<void> {
  await until(async () => (await holders()).length === 0);
}

async function claimWhenFree(task: string): Promise<Claim> {
  return until(() => store.claim(task).catch(() => undefined));
}

/** What the call answers, once that is something. */
async function until<T>(call: () => Promise<T>): Promise<NonNullable<T>> {
  for (;;) {
    const found = await call();
    if (Array.isArray(found) ? found.length > 0 : found) return found!;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
