/** A store that is being moved takes no new work; one that is not costs a running task nothing. */
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { Backend } from '../../src/storage/backend.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { createStorage } from '../../src/storage/create.ts';
import { openEncryptedStorage } from '../../src/storage/encrypted/open.ts';
import { openJsonStorage } from '../../src/storage/json/open.ts';
import { guardedBackend } from '../../src/storage/moving/guard.ts';
import { MARK, type Mark } from '../../src/storage/moving/mark.ts';
import { keyProvider } from '../contract/open-store.ts';
import { append, collect, expectCode } from '../contract/support.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
const blob = { kind: 'other', bytes: new TextEncoder().encode('bytes') };
const mark: Mark = {
  ...{ id: 'm1', direction: 'encrypt', state: 'moving', to: '.vibe-engine/.sealed' },
  since: new Date(0).toISOString(),
};

let bare: Storage;
let store: Storage;
let asked: string[];
const guarded = (backend: Backend): Storage => createStorage(guardedBackend(backend));
const setMark = (state: Mark['state'] = 'moving') => bare.save(MARK.category, MARK.key, { ...mark, state });

beforeEach(async () => {
  bare = await openJsonStorage({ root: join(tempDir(), 'store') });
  asked = [];
  const get: Backend['get'] = (category, key) => {
    asked.push(`${category}/${key}`);
    return bare.backend.get(category, key);
  };
  store = guarded({ ...bare.backend, get });
  return () => bare.close();
});

test('while it is moved it is read, and nothing else', async () => {
  await append(store, 't1', ['entry']);
  await store.save('config', 'k', 1);
  const [id] = await store.putBlobs('t1', [blob]);
  for (const [state, code] of [
    ['moving', 'STORE_MOVING'],
    ['moved', 'STORE_MOVED'],
  ] as const) {
    await setMark(state);
    await expectCode(store.claim('t1'), code);
    expect(await bare.owner('t1')).toBeNull();
    await expectCode(store.save('config', 'k', 2), code);
    await expectCode(store.delete('config', 'k'), code);
    await expectCode(store.save('tasks', 't2/state', 2), code);
    await expectCode(append(store, 't1', ['more']), code);
    await expectCode(store.putBlobs(null, [blob]), code);
    await expectCode(store.deleteBlobs('t1', [id!]), code);
    await expectCode(store.removeTask('t1'), code);
    await expectCode(store.compact('t1'), code);
    expect(await store.load('config', 'k')).toBe(1);
    expect((await store.tasks()).keys).toEqual(['t1']);
    expect(await collect(store.read('t1'))).toHaveLength(1);
    expect(await store.getBlob('t1', id!)).not.toBeNull();
  }
  await bare.delete(MARK.category, MARK.key);
  await store.save('config', 'k', 2);
});

test('a claimed task asks for the mark when it is claimed and at its first commit, and then no more', async () => {
  const { fence, release } = await store.claim('t1');
  await append(store, 't1', ['first'], { fence });
  expect(asked).toEqual(['keys/moving', 'keys/moving']);
  asked.length = 0;
  for (const n of [2, 3, 4]) {
    await store.putBlobs('t1', [blob]);
    await append(store, 't1', [n], { fence });
    await store.save('inbox', `t1/${n}`, n);
  }
  expect(asked).toEqual([]);
  await release();
});

test('an owned task continues: the mover of the store finds it owned', async () => {
  const { fence, release } = await store.claim('t1');
  await append(store, 't1', ['first'], { fence });
  await setMark();
  await append(store, 't1', ['second'], { fence });
  await store.save('config', 'k', 1);
  await release();
  await expectCode(store.save('config', 'k', 2), 'STORE_MOVING');
});

test('a task that nobody could know of yet is refused, and leaves nothing', async () => {
  const claim = await store.claim('t1');
  await setMark();
  const { fence } = claim;
  await expectCode(append(store, 't1', ['first'], { fence }), 'STORE_MOVING');
  expect((await store.tasks()).keys).toEqual([]);
  await claim.release();
});

test('one that was there before goes on although it is moved right after it was claimed', async () => {
  await append(store, 't1', ['first']);
  await store.save('tasks', 't1/state', 1);
  const { fence, release } = await store.claim('t1');
  await setMark();
  const records = [{ category: 'tasks', key: 't1/new', data: 1 }];
  await store.commit({ task: 't1', fence, records });
  expect(await store.load('tasks', 't1/new')).toBe(1);
  await release();
});

test('records outside tasks are refused with the mark in one commit, whichever process wrote it', async () => {
  const racing = guarded({
    ...bare.backend,
    commit: async (commit) => {
      if (commit.task === null) await setMark();
      return bare.backend.commit(commit);
    },
  });
  await expectCode(racing.save('config', 'k', 1), 'STORE_MOVING');
  expect(await bare.load('config', 'k')).toBeNull();
});

test('a stale write is told as one where nothing is moved', async () => {
  const records = [{ category: 'config', key: 'k', data: 1, expect: 7 }];
  await expectCode(store.commit({ task: null, records }), 'STALE_WRITE');
});

test('an encrypted store around it is refused in the same words', async () => {
  const sealed = await openEncryptedStorage(store, keyProvider('ab'.repeat(32)));
  await append(sealed, 't1', ['entry']);
  await setMark();
  await expectCode(sealed.claim('t1'), 'STORE_MOVING');
  await expectCode(sealed.save('config', 'k', 1), 'STORE_MOVING');
  await expectCode(append(sealed, 't2', ['entry']), 'STORE_MOVING');
  expect((await collect(sealed.read('t1'))).map(({ data }) => data)).toEqual(['entry']);
  expect((await collect(sealed.verify())).map(({ code, where }) => `${code} ${where}`)).toEqual([
    'STORE_MOVING keys/moving',
  ]);
});

test('a back end may be an instance of a class', async () => {
  const own = guarded(Object.create(bare.backend));
  await own.save('config', 'k', 1);
  expect(await own.load('config', 'k')).toBe(1);
  const { fence, release } = await own.claim('t1');
  await append(own, 't1', ['entry'], { fence });
  await release();
});

test('what is no mark is told', async () => {
  await bare.save(MARK.category, MARK.key, { to: 'nowhere' });
  await expectCode(store.claim('t1'), 'CORRUPT');
});

test('what is changed after it was handed over is stored as it was', async () => {
  const entry = { n: 1 };
  const bytes = new Uint8Array([1, 2, 3]);
  const after = await store.position('t1');
  const committing = store.commit({ task: 't1', append: { after, entries: [entry] } });
  const putting = store.putBlobs('t2', [{ kind: 'other', bytes }]);
  entry.n = 2;
  bytes.fill(9);
  await committing;
  const [id] = await putting;
  expect((await collect(bare.read('t1')))[0]!.data).toEqual({ n: 1 });
  expect([...(await bare.getBlob('t2', id!))!]).toEqual([1, 2, 3]);
});
