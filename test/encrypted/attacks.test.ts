/** Somebody who can write to the store but has no key: whatever is put in another place, or put back, is refused. */
import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import type { Storage } from '../../src/storage/contract.ts';
import { openEncryptedStorage } from '../../src/storage/encrypted/open.ts';
import { keyProvider } from '../contract/open-store.ts';
import { append, collect, expectCode } from '../contract/support.ts';
import { tempDirs } from '../support/temp.ts';
import { BACK_ENDS, type Sealed, sealedStore } from './world.ts';

const tempDir = tempDirs();
const made: Sealed[] = [];
afterEach(async () => {
  for (const one of made.splice(0)) await one.close();
});

type Name = readonly [category: string, key: string];

/** Past the encryption: what is stored of one record goes to another place. */
async function copy(inner: Storage, from: Name, to: Name): Promise<void> {
  await inner.save(...to, await inner.load(...from));
}

async function rawEntries(inner: Storage, task: string): Promise<unknown[]> {
  return (await collect(inner.read(task))).map(({ data }) => data);
}

describe.each(BACK_ENDS)('%s', (type) => {
  const fresh = async (): Promise<Sealed> => {
    const one = await sealedStore(tempDir(), type);
    made.push(one);
    return one;
  };

  test('a record from another place, task or store is refused', async () => {
    const { store, inner } = await fresh();
    await store.save('config', 'a', { is: 'a' });
    await store.save('config', 'b', { is: 'b' });
    await store.save('tasks', 't1/state', { of: 't1' });
    await store.save('tasks', 't1/head', { of: 't1' });
    await store.save('tasks', 't2/state', { of: 't2' });
    await copy(inner, ['config', 'a'], ['config', 'b']);
    await copy(inner, ['tasks', 't1/state'], ['tasks', 't1/head']);
    await copy(inner, ['tasks', 't1/state'], ['tasks', 't2/state']);
    const places: Name[] = [
      ['config', 'b'],
      ['tasks', 't1/head'],
      ['tasks', 't2/state'],
    ];
    for (const place of places) await expectCode(store.load(...place), 'CORRUPT');
    const other = await fresh();
    await other.store.save('config', 'a', { is: 'theirs' });
    await inner.save('config', 'a', await other.inner.load('config', 'a'));
    await expectCode(store.load('config', 'a'), 'CORRUPT');
  });

  test('a look at the whole store finds what was put in the place of a record outside tasks', async () => {
    const { store, inner } = await fresh();
    for (const key of ['a', 'b', 'c']) await store.save('inbox', key, { is: key });
    expect(await collect(store.verify())).toEqual([]);
    await copy(inner, ['inbox', 'a'], ['inbox', 'b']);
    await inner.save('inbox', 'c', { is: 'plain' });
    const found = (await collect(store.verify())).map(({ code, where }) => [code, where]);
    expect(found).toEqual([
      ['CORRUPT', 'inbox/b'],
      ['CORRUPT', 'inbox/c'],
    ]);
  });

  test('what is not sealed is refused', async () => {
    const { store, inner } = await fresh();
    for (const plain of [{ is: 'plain' }, 'plain', 've1:', `ve1:${'A'.repeat(200)}`, null, 7]) {
      await inner.save('config', 'a', plain);
      await expectCode(store.get('config', 'a'), 'CORRUPT');
    }
    await append(inner, 't1', ['plain']);
    await expectCode(collect(store.read('t1')), 'CORRUPT');
  });

  test('entries that are swapped, repeated, or of another task are refused', async () => {
    const { store, inner } = await fresh();
    for (const task of ['t1', 't2', 't3', 't4']) for (const n of [1, 2, 3]) await append(store, task, [n]);
    const [one, two, three] = await rawEntries(inner, 't1');
    const put = async (task: string, entries: readonly unknown[]): Promise<void> => {
      await inner.removeTask(task);
      await append(inner, task, entries);
    };
    await put('t1', [two, one, three]);
    await put('t2', [one, two, three]);
    const own = await rawEntries(inner, 't3');
    await put('t3', [...own, own[2]]);
    for (const task of ['t1', 't2']) await expectCode(collect(store.read(task)), 'CORRUPT');
    const seen: unknown[] = [];
    await expectCode(
      (async () => {
        for await (const { data } of store.read('t3')) seen.push(data);
      })(),
      'CORRUPT',
    );
    expect(seen).toEqual([1, 2, 3]);
    expect((await collect(store.read('t4'))).map(({ data }) => data)).toEqual([1, 2, 3]);
  });

  test('entries that were cut past the store are missed, those that the store cut are not', async () => {
    const { store, inner } = await fresh();
    for (const task of ['t1', 't2', 't3']) for (const n of [1, 2, 3, 4, 5]) await append(store, task, [n]);
    await store.commit({ task: 't1', cut: { from: 2, to: 3 } });
    expect((await collect(store.read('t1'))).map(({ data }) => data)).toEqual([1, 4, 5]);
    expect((await collect(store.read('t1', { reverse: true }))).map(({ data }) => data)).toEqual([5, 4, 1]);
    await inner.commit({ task: 't1', cut: { from: 4, to: 4 } });
    await inner.commit({ task: 't2', cut: { from: 2, to: 2 } });
    await inner.commit({ task: 't3', cut: { from: 5, to: 5 } });
    for (const task of ['t1', 't2', 't3'])
      for (const reverse of [false, true])
        await expectCode(collect(store.read(task, { reverse })), 'CORRUPT');
  });

  test('an old record in the place of a newer one keeps the task from being claimed', async () => {
    const { store, inner, again } = await fresh();
    const { old, claim } = await run(store, inner);
    await claim.release();
    await inner.save('tasks', 't1/state', old);
    const other = await again();
    await expectCode(other.claim('t1'), 'CORRUPT');
    expect(await other.owner('t1')).toBeNull();
    expect((await collect(other.verify())).map(({ task }) => task)).toEqual(['t1']);
  });

  test('a journal without its last entries keeps the task from being claimed', async () => {
    const { store, inner, again } = await fresh();
    const { claim } = await run(store, inner);
    await claim.release();
    const [state, head, entries] = [
      await inner.load('tasks', 't1/state'),
      await inner.load('tasks', 't1/head'),
      await rawEntries(inner, 't1'),
    ];
    await inner.removeTask('t1');
    await append(inner, 't1', entries.slice(0, -1));
    await inner.save('tasks', 't1/state', state);
    await inner.save('tasks', 't1/head', head);
    const other = await again();
    await expectCode(other.claim('t1'), 'CORRUPT');
    // A caller may decide to continue from there, as after an interrupted repair.
    await other.repair('t1');
    await (await other.claim('t1')).release();
    expect(await collect(other.verify())).toEqual([]);
  });

  /** Two records and entries as a task writes them; answers the state of an earlier moment. */
  async function run(store: Storage, inner: Storage) {
    const claim = await store.claim('t1');
    const { fence } = claim;
    const commit = async (n: number) => {
      const after = await store.position('t1');
      const records = [{ category: 'tasks', key: 't1/state', data: { n } }];
      await store.commit({ task: 't1', fence, append: { after, entries: [n] }, records });
    };
    const head = [{ category: 'tasks', key: 't1/head', data: { is: 'head' } }];
    await store.commit({ task: 't1', fence, records: head });
    for (const n of [1, 2]) await commit(n);
    const old = await inner.load('tasks', 't1/state');
    for (const n of [3, 4]) await commit(n);
    return { claim, old };
  }

  test('what is written without a claim, or before the first entry, does not keep anybody from it', async () => {
    const { store, inner, again } = await fresh();
    const { claim } = await run(store, inner);
    await claim.release();
    await store.save('tasks', 't1/state', { n: 'by hand' });
    await store.save('tasks', 't1/head', { is: 'by hand' });
    const other = await again();
    await (await other.claim('t1')).release();
    expect(await other.load('tasks', 't1/state')).toEqual({ n: 'by hand' });
    expect(await collect(other.verify())).toEqual([]);
  });

  test('a blob from another task, kind or store is refused', async () => {
    const { store, inner } = await fresh();
    const bytes = randomBytes(1000);
    const [id] = await store.putBlobs('t1', [{ kind: 'one', bytes }]);
    await store.putBlobs('t2', [{ kind: 'one', bytes: randomBytes(1000) }]);
    const [there] = await collect(inner.listBlobs('t1'));
    expect(there!.id).not.toBe(id);
    const raw = await inner.getBlob('t1', there!.id);
    await inner.backend.putBlobs('t2', [{ id: there!.id, bytes: raw! }]);
    expect(await store.getBlob('t2', id!)).toBeNull();
    await inner.backend.putBlobs('t1', [{ id: there!.id.replace('one', 'two'), bytes: raw! }]);
    await expectCode(store.getBlob('t1', id!.replace('one', 'two')), 'CORRUPT');
  });

  test('another key, or none, opens nothing and changes nothing', async () => {
    const { store, inner, key } = await fresh();
    await store.save('config', 'a', 'secret');
    const before = await inner.get('keys', 'store');
    await expectCode(openEncryptedStorage(inner, keyProvider(randomBytes(32).toString('hex'))), 'WRONG_KEY');
    await expectCode(openEncryptedStorage(inner, keyProvider('00')), 'NO_KEY');
    expect(await inner.get('keys', 'store')).toEqual(before);
    await inner.save('keys', 'store', { ...(before!.data as object), sealed: 'AAAA' });
    await expectCode(openEncryptedStorage(inner, keyProvider(key)), 'CORRUPT');
  });

  test('a store that has something in it is not taken for an empty one', async () => {
    const { inner, key } = await fresh();
    await inner.delete('keys', 'store');
    await append(inner, 't1', ['plain']);
    await expectCode(openEncryptedStorage(inner, keyProvider(key)), 'STORE_NOT_ENCRYPTED');
    expect(await inner.get('keys', 'store')).toBeNull();
  });

  test('a task whose key is gone gets no other one', async () => {
    const { store, inner, again } = await fresh();
    await append(store, 't1', ['sealed']);
    await store.save('tasks', 't2/state', 'sealed');
    const key = await inner.load('keys', 'tasks/t1');
    for (const task of ['t1', 't2']) await inner.delete('keys', `tasks/${task}`);
    const other = await again();
    await expectCode(other.save('tasks', 't1/state', 'new'), 'CORRUPT');
    await expectCode(other.putBlobs('t1', [{ kind: 'one', bytes: randomBytes(10) }]), 'CORRUPT');
    await expectCode(append(other, 't2', ['new']), 'CORRUPT');
    await inner.save('keys', 'tasks/t1', key);
    expect((await collect((await again()).read('t1'))).map(({ data }) => data)).toEqual(['sealed']);
  });

  test.each(['config', 'inbox', 'restores'])(
    'a store that has only %s in it is not taken for an empty one',
    async (category) => {
      const { inner, key } = await fresh();
      await inner.delete('keys', 'store');
      await inner.save(category, 'a', 'plain');
      await expectCode(openEncryptedStorage(inner, keyProvider(key)), 'STORE_NOT_ENCRYPTED');
    },
  );

  test('another key takes over while the store is in use', async () => {
    const { store, inner } = await fresh();
    await store.save('tasks', 't1/state', 'before');
    const next = keyProvider(randomBytes(32).toString('hex'));
    await store.rotate(next);
    await store.save('tasks', 't2/state', 'after');
    const other = await openEncryptedStorage(inner, next);
    expect(await other.load('tasks', 't1/state')).toBe('before');
    expect(await other.load('tasks', 't2/state')).toBe('after');
  });

  test('the names of its own records are the store’s', async () => {
    const { store } = await fresh();
    const places: Name[] = [
      ['keys', 'store'],
      ['keys', 'x'],
      ['tasks', 't1/sealed-cuts'],
    ];
    for (const place of places) {
      await expectCode(store.save(...place, 1), 'INVALID_KEY');
      await expectCode(store.load(...place), 'INVALID_KEY');
    }
    await expectCode(store.list('keys'), 'INVALID_KEY');
    for (const n of [1, 2]) await append(store, 't1', [n]);
    await store.commit({ task: 't1', cut: { from: 1, to: 1 } });
    expect((await store.page('tasks', { prefix: 't1/' })).keys).toEqual([]);
  });
});
