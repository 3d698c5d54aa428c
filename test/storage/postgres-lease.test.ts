import { once } from 'node:events';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openPostgresStorage } from '../../src/postgres.ts';
import { START } from '../../src/storage/chain.ts';
import type { Claim, Commit, Storage } from '../../src/storage/contract.ts';
import { collect, expectCode } from '../contract/support.ts';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';
import { startProxyBefore, type TcpProxy } from '../support/tcp-proxy.ts';

/** For what has to run out. */
const SHORT = 2;
/** For what has to be renewed in time, also by a process that gets no processor for some seconds. */
const RENEWED = 8;
/** For all else. */
const LONG = 600;

let database: TestDatabase;
let proxy: TcpProxy;
/** Its network can be cut, so that it cannot renew what it claimed. */
let first: Storage;
let second: Storage;

async function openBoth(lease_seconds: number): Promise<void> {
  const before = await startProxyBefore(database.url);
  proxy = before.proxy;
  const settings = { lease_seconds, reconnect_seconds: 0 };
  first = await openPostgresStorage({ ...settings, url: before.url });
  second = await openPostgresStorage({ ...settings, url: database.url });
}

beforeEach(async () => {
  database = await freshDatabase();
});

afterEach(async () => {
  await first.close();
  await second.close();
  await proxy.close();
  await database.drop();
});

test('a claim is renewed for as long as it is held', async () => {
  await openBoth(RENEWED);
  const claim = await first.claim('t1');
  const granted = await leaseOf('t1');
  await until(async () => (await leaseOf('t1')) > granted + RENEWED * 1000);
  expect(claim.lost.aborted).toBe(false);
  await expectCode(second.claim('t1'), 'TASK_OWNED');
  await first.commit({ ...write('t1'), fence: claim.fence });
});

test('a claim that cannot be renewed is lost, and another process takes the task over', async () => {
  await openBoth(SHORT);
  const lost = await first.claim('t1');
  const aborted = lost.lost.aborted || once(lost.lost, 'abort');
  await proxy.close();
  await aborted;
  expect(lost.lost.reason).toMatchObject({ code: 'FENCED_OUT' });
  const taken = await claimWhenFree(second, 't1');
  expect(taken.fence).toBeGreaterThan(lost.fence);
  expect((await second.owner('t1'))!.fence).toBe(taken.fence);
});

test('connections that went silent cost no claim: it is renewed over a new one', async () => {
  await openBoth(RENEWED);
  const claim = await first.claim('t1');
  await Promise.all(Array.from({ length: 4 }, (_, n) => first.load('config', `${n}`)));
  await Promise.all([first.size(), first.tasks(), first.position('t1')]);
  const granted = await leaseOf('t1');
  proxy.stall();
  await until(async () => claim.lost.aborted || (await leaseOf('t1')) > granted + RENEWED * 1000);
  await proxy.close(); // or closing the store would wait for their answers
  expect(claim.lost.aborted).toBe(false);
});

test('the former owner writes nothing any more, in whichever way it tries', async () => {
  await openBoth(LONG);
  const old = await first.claim('t1');
  await first.commit({ ...write('t1'), fence: old.fence });
  await endLease('t1');
  const taken = await second.claim('t1');
  const position = await second.position('t1');
  for (const attempt of [
    () => first.commit({ task: 't1', fence: old.fence, append: { after: position, entries: ['x'] } }),
    () => first.commit({ ...step('t1', position), fence: old.fence }),
    () => first.commit({ ...write('t1'), fence: old.fence }),
    () => first.commit({ task: 't1', fence: old.fence, cut: { from: 1, to: 1 } }),
    () => first.removeTask('t1', { fence: old.fence }),
    () => first.compact('t1', { fence: old.fence }),
  ]) {
    await expectCode(attempt(), 'FENCED_OUT');
  }
  for (const attempt of [
    () => first.commit(step('t1', position)),
    () => first.commit(write('t1')),
    () => first.removeTask('t1'),
    () => first.compact('t1'),
    () => first.save('tasks', 't1/state', 'x'),
    () => first.delete('tasks', 't1/state'),
  ]) {
    await expectCode(attempt(), 'TASK_OWNED');
  }
  await second.commit({ ...step('t1', position), fence: taken.fence });
  expect(await collect(second.read('t1'))).toHaveLength(1);
});

test('renewal notices that the task was taken over', async () => {
  await openBoth(SHORT);
  const old = await first.claim('t1');
  const aborted = once(old.lost, 'abort');
  await endLease('t1');
  await second.claim('t1');
  await aborted;
});

test('a lease that ended counts for nobody: not for its owner, and not against others', async () => {
  await openBoth(LONG);
  const old = await first.claim('t1');
  await endLease('t1');
  expect(await second.owner('t1')).toBeNull();
  await expectCode(first.commit({ ...write('t1'), fence: old.fence }), 'FENCED_OUT');
  await second.commit(write('t1'));
});

test('an owner that came while the claim waited for it is the one it names', async () => {
  await openBoth(LONG);
  await first.commit(write('t1'));
  const other = new Client({ connectionString: database.url });
  await other.connect();
  await other.query('BEGIN');
  await other.query(
    `UPDATE vibe_engine.heads SET fence = 99, owner = gen_random_uuid(), holder = 'another', claimed_at = now(),
      lease_until = clock_timestamp() + interval '1 minute' WHERE task = 't1'`,
  );
  const refused = expectCode(second.claim('t1'), 'TASK_OWNED');
  await until(async () => {
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    return (await database.query(waiting)).length > 0;
  });
  await other.query('COMMIT');
  await other.end();
  await refused;
});

test('releasing a claim that was taken over leaves the new one alone', async () => {
  await openBoth(LONG);
  const old = await first.claim('t1');
  await endLease('t1');
  const taken = await second.claim('t1');
  await old.release();
  expect((await first.owner('t1'))!.fence).toBe(taken.fence);
});

test('closing the store releases its claims at once', async () => {
  await openBoth(LONG);
  await first.claim('t1');
  await first.claim('t2');
  await first.close();
  await second.claim('t1');
  await second.claim('t2');
});

test('a task that was only claimed leaves nothing behind', async () => {
  await openBoth(LONG);
  await (await first.claim('t1')).release();
  expect((await second.tasks()).keys).toEqual([]);
  expect(await database.query('SELECT * FROM vibe_engine.heads')).toEqual([]);
});

function write(task: string): Commit {
  return { task, records: [{ category: 'tasks', key: `${task}/state`, data: 'written' }] };
}

function step(task: string, after = START): Commit {
  return { ...write(task), append: { after, entries: ['entry'] } };
}

/** As the server's clock would. */
async function endLease(task: string): Promise<void> {
  await database.query('UPDATE vibe_engine.heads SET lease_until = clock_timestamp() WHERE task = $1', [
    task,
  ]);
}

async function leaseOf(task: string): Promise<number> {
  const [row] = await database.query('SELECT lease_until FROM vibe_engine.heads WHERE task = $1', [task]);
  return (row!.lease_until as Date).getTime();
}

async function claimWhenFree(store: Storage, task: string): Promise<Claim> {
  let claim: Claim | undefined;
  await until(async () => {
    claim = await store.claim(task).catch(() => undefined);
    return claim !== undefined;
  });
  return claim!;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}
