/** One open store copied into another, of whatever kind: by the library, for back ends of one's own. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { copyStorage } from '../../src/engine/moving/copy.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { openEncryptedStorage } from '../../src/storage/encrypted/open.ts';
import { openJsonStorage } from '../../src/storage/json/open.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/open.ts';
import { keyProvider } from '../contract/open-store.ts';
import { append, collect, expectCode } from '../contract/support.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
const KEY = 'ab'.repeat(32);

async function filled(): Promise<Storage> {
  const store = await openJsonStorage({ root: join(tempDir(), 'store') });
  for (const task of ['t1', 't2', 't3']) {
    await append(
      store,
      task,
      Array.from({ length: 1200 }, (_, n) => `${task} ${n}`),
    );
    await store.commit({ task, cut: { from: 700, to: 900 } });
    for (const name of ['a', 'b/c']) await store.save('tasks', `${task}/${name}`, `${task} ${name}`);
    await store.putBlobs(task, [{ kind: 'other', bytes: randomBytes(5000) }]);
  }
  const records = Array.from({ length: 450 }, (_, n) => ({ category: 'mine', key: `k${n}`, data: n }));
  await store.commit({ task: null, records });
  await store.putBlobs(null, [{ kind: 'file', bytes: randomBytes(100) }]);
  return store;
}

/** Fails at the n-th call that writes. */
function failing(store: Storage, n: number): Storage {
  let calls = 0;
  const count = async (): Promise<void> => {
    if (++calls === n) throw new Error('as asked');
  };
  return {
    ...store,
    commit: (commit) => count().then(() => store.commit(commit)),
    putBlobs: (task, blobs) => count().then(() => store.putBlobs(task, blobs)),
  };
}

test('cut off anywhere it goes on, and the copy is whole', async () => {
  const from = await filled();
  const to = await openEncryptedStorage(
    await openSqliteStorage({ path: join(tempDir(), 'x.db') }),
    keyProvider(KEY),
  );
  const expected = { tasks: 3, entries: 3600, records: 456, blobs: 4 };
  let tries = 0;
  for (;;) {
    tries++;
    try {
      expect(await copyStorage(from, failing(to, 3))).toEqual(expected);
      break;
    } catch (error) {
      if ((error as Error).message !== 'as asked') throw error;
    }
    expect(await from.owner('t1')).toBeNull();
  }
  expect(tries).toBeGreaterThan(5);
  expect(await copyStorage(from, to)).toEqual(expected); // There is nothing left to do.
  expect((await collect(to.read('t2'))).map(({ seq, data }) => `${seq} ${data}`)).toEqual(
    (await collect(from.read('t2'))).map(({ seq, data }) => `${seq} ${data}`),
  );
  await from.close();
  await to.close();
});

test.each([
  ['a record', (to: Storage) => to.save('mine', 'k7', 'another')],
  ['a record more', (to: Storage) => to.save('mine', 'more', 1)],
  ['a record of a task', (to: Storage) => to.save('tasks', 't1/a', 'another')],
  ['an entry more', (to: Storage) => append(to, 't3', ['more'])],
  ['another entry', (to: Storage) => append(to, 't1', ['another'])],
])('%s that is not the same is told', async (_, change) => {
  const from = await filled();
  const to = await openJsonStorage({ root: join(tempDir(), 'other') });
  await change(to);
  await expectCode(copyStorage(from, to), 'CORRUPT');
  await from.close();
  await to.close();
});

test('while a task runs there is no copy', async () => {
  const from = await filled();
  const to = await openJsonStorage({ root: join(tempDir(), 'other') });
  const claim = await from.claim('t2');
  await expectCode(copyStorage(from, to), 'TASK_OWNED');
  expect(await from.owner('t1')).toBeNull();
  expect((await to.tasks()).keys).toEqual([]);
  await claim.release();
  await from.close();
  await to.close();
});
