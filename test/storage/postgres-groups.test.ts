import { afterEach, beforeEach, expect, test } from 'vitest';
import { openPostgresStorage } from '../../src/postgres.ts';
import { START } from '../../src/storage/chain.ts';
import type { Commit, Position, Storage } from '../../src/storage/contract.ts';
import { collect, dataOf, expectCode } from '../contract/support.ts';
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

const TASKS = Array.from({ length: 40 }, (_, i) => `t${i}`);

test('commits of many tasks share transactions', async () => {
  await Promise.all(TASKS.map((task) => store.commit(step(task, START, 'first'))));
  const sum = 'SELECT coalesce(sum(batch), 0)::int AS batches FROM vibe_engine.lanes';
  const [{ batches } = {}] = await database.query(sum);
  expect(batches).toBeLessThanOrEqual(6);
  for (const task of TASKS) expect(await dataOf(store, task)).toEqual(['first']);
});

test('of a group, only those that have to be are refused, each with its own reason', async () => {
  const positions = await begin();
  const claim = await store.claim('t2');
  const revision = (await store.get('tasks', 't5/state'))!.revision;
  const commits = TASKS.map((task, i): Commit => step(task, positions[i]!, 'second'));
  commits[1] = step('t1', START, 'second');
  commits[3] = { ...step('t3', positions[3]!, 'second'), fence: claim.fence };
  commits[4] = { task: 't4', records: [{ category: 'tasks', key: 't4/state', data: 1, expect: 0 }] };
  commits[5] = {
    ...commits[5]!,
    records: [{ category: 'tasks', key: 't5/state', data: 1, expect: revision + 1 }],
  };
  // What is no fence is refused before it joins the group.
  commits[6] = { ...step('t6', positions[6]!, 'second'), fence: 0.5 };
  const codes = await Promise.all(
    commits.map((commit) =>
      store.commit(commit).then(
        () => 'written',
        (error: { code: string }) => error.code,
      ),
    ),
  );
  const expected = TASKS.map(() => 'written');
  expected[1] = 'STALE_WRITE';
  expected[2] = 'TASK_OWNED';
  expected[3] = 'FENCED_OUT';
  expected[4] = 'STALE_WRITE';
  expected[5] = 'STALE_WRITE';
  expected[6] = 'INVALID_COMMIT';
  expect(codes).toEqual(expected);
  for (const [i, task] of TASKS.entries()) {
    expect(await dataOf(store, task)).toEqual(expected[i] === 'written' ? ['first', 'second'] : ['first']);
    const state = await store.load('tasks', `${task}/state`);
    expect(state).toEqual({ entry: expected[i] === 'written' ? 'second' : 'first' });
  }
  expect(await collect(store.verify())).toEqual([]);
});

test('one stale step among many is refused, the others are written', async () => {
  const positions = await begin();
  const commits = TASKS.map((task, i) => step(task, task === 't20' ? START : positions[i]!, 'second'));
  const results = await Promise.allSettled(commits.map((commit) => store.commit(commit)));
  const refused = results.flatMap(({ status }, i) => (status === 'rejected' ? [TASKS[i]] : []));
  expect(refused).toEqual(['t20']);
  expect(await dataOf(store, 't20')).toEqual(['first']);
  expect(await dataOf(store, 't21')).toEqual(['first', 'second']);
  expect(await collect(store.verify())).toEqual([]);
});

test('one that the server fails at does not keep the others of its group from being written', async () => {
  const positions = await begin();
  await database.query(`
    CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no room for it'; END $$;
    CREATE TRIGGER fail BEFORE INSERT ON vibe_engine.journal FOR EACH ROW WHEN (NEW.task = 't20') EXECUTE FUNCTION fail()`);
  const commits = TASKS.map((task, i) => step(task, positions[i]!, 'second'));
  const results = await Promise.allSettled(commits.map((commit) => store.commit(commit)));
  const failed = results.flatMap((result, i) =>
    result.status === 'rejected' ? [[TASKS[i], result.reason.code]] : [],
  );
  expect(failed).toEqual([['t20', 'IO_FAILED']]);
  for (const task of TASKS) {
    expect(await dataOf(store, task)).toEqual(task === 't20' ? ['first'] : ['first', 'second']);
  }
  expect(await collect(store.verify())).toEqual([]);
});

test('two processes that step the same tasks get each step written once', async () => {
  const other = await openPostgresStorage({ url: database.url });
  await begin();
  const writers = [store, other].flatMap((by) =>
    TASKS.map(async (task) => {
      let written = 0;
      while (written < 5) {
        const commit = step(task, await by.position(task), 'more');
        written += await by.commit(commit).then(
          () => 1,
          () => 0,
        );
      }
    }),
  );
  await Promise.all(writers);
  for (const task of TASKS) expect(await dataOf(store, task)).toHaveLength(11);
  expect(await collect(store.verify())).toEqual([]);
  await other.close();
});

test('records that are asked for at once are each the right one', async () => {
  await Promise.all(Array.from({ length: 60 }, (_, i) => store.save('config', `key-${i}`, i)));
  const asked = Array.from({ length: 80 }, (_, i) => store.load(i % 3 ? 'config' : 'state', `key-${i}`));
  const expected = asked.map((_, i) => (i % 3 && i < 60 ? i : null));
  expect(await Promise.all(asked)).toEqual(expected);
});

test('commits of one task keep their order, though they go in groups', async () => {
  const saves = Array.from({ length: 200 }, (_, i) =>
    store.commit({ task: 't1', records: [{ category: 'tasks', key: 't1/state', data: i }] }),
  );
  const revisions = (await Promise.all(saves)).map(({ records }) => records[0]!.revision);
  expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
  expect(await store.load('tasks', 't1/state')).toBe(199);
});

test('two processes whose groups meet in the same tasks and records all get through', async () => {
  const other = await openPostgresStorage({ url: database.url });
  const write = (by: Storage, name: string) =>
    Promise.all(
      Array.from({ length: 100 }, (_, i) => [
        by.save('tasks', `t${i % 7}/${name}`, i),
        by.commit({
          task: null,
          records: Array.from({ length: 9 }, (_, k) => ({
            category: 'config',
            key: `key-${(i * 5 + k * 3) % 31}`,
            data: name,
          })).filter(({ key }, at, all) => all.findIndex((one) => one.key === key) === at),
        }),
      ]).flat(),
    );
  await Promise.all([write(store, 'one'), write(other, 'two')]);
  expect(await store.list('tasks')).toHaveLength(14);
  expect(await collect(store.verify())).toEqual([]);
  await other.close();
});

test('a commit that is larger than a group goes alone', async () => {
  const large = 'x'.repeat(9_000_000);
  const positions = await Promise.all([
    store.commit(step('t1', START, large)),
    store.commit(step('t1-also', START, large)),
    store.commit(step('t1-small', START, 'small')),
  ]);
  expect(positions.map(({ position }) => position!.seq)).toEqual([1, 1, 1]);
  expect(await dataOf(store, 't1-also')).toEqual([large]);
});

test('what no server could take is refused before it is sent', async () => {
  const bytes = Buffer.alloc(256 * 1024 * 1024);
  await expectCode(store.putBlobs('t1', [{ kind: 'x', bytes }]), 'USAGE');
  const entries = Array.from({ length: 3 }, () => 'x'.repeat(100 * 1024 * 1024));
  await expectCode(store.commit({ task: 't1', append: { after: START, entries } }), 'INVALID_COMMIT');
  expect((await store.tasks()).keys).toEqual([]);
});

async function begin(): Promise<Position[]> {
  const receipts = await Promise.all(TASKS.map((task) => store.commit(step(task, START, 'first'))));
  return receipts.map(({ position }) => position!);
}

function step(task: string, after: Position, entry: unknown): Commit {
  return {
    task,
    append: { after, entries: [entry] },
    records: [{ category: 'tasks', key: `${task}/state`, data: { entry } }],
  };
}

test('who reads right after a commit takes its connection, and opens no other', async () => {
  await store.commit(step('t1', START, 'first'));
  expect(await dataOf(store, 't1')).toEqual(['first']);
  const open = `SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE application_name = 'vibe-engine' AND datname = current_database()`;
  expect(await database.query(open)).toEqual([{ count: 1 }]);
});

test('commits that follow each other without a pause leave the only connection to others', async () => {
  const narrow = await openPostgresStorage({ url: database.url, pool_size: 1 });
  let position = (await narrow.commit(step('t1', START, 'first'))).position!;
  let isRead = false;
  const reading = narrow.load('tasks', 't1/state').then(() => {
    isRead = true;
  });
  while (!isRead) position = (await narrow.commit(step('t1', position, 'again'))).position!;
  await reading;
  await narrow.close();
});
