/** What is asked for wrongly, and what is refused: in the same words, with the same data, by every back end. */
import { expect } from 'vitest';
import { START } from '../../../src/storage/chain.ts';
import type { Commit, NewBlob } from '../../../src/storage/contract.ts';
import type { Cases } from '../harness.ts';
import { append, collect, expectCode } from '../support.ts';

/** Arguments as JavaScript may give them, whatever the types say. */
const wrong = <T>(value: unknown): T => value as T;
const NO_COUNTS = [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '1', null, {}];
const NO_TEXTS = [1, null, {}, ['a']];

export const refusalCases: Cases = {
  'a page is asked for with texts and a positive limit': async ({ store }) => {
    await append(store, 't1', ['one']);
    const queries = [
      ...NO_COUNTS.map((limit) => ({ limit })),
      ...NO_TEXTS.flatMap((text) => [{ after: text }, { prefix: text }]),
      null,
      'a',
    ];
    for (const query of queries) {
      await expectCode(store.page('config', wrong(query)), 'USAGE');
      await expectCode(store.page('tasks', wrong(query)), 'USAGE');
      await expectCode(store.tasks(wrong(query)), 'USAGE');
    }
  },

  'a journal is read from, to and up to positive whole numbers': async ({ store }) => {
    await append(store, 't1', ['one']);
    const ranges = NO_COUNTS.flatMap((count) => [{ from: count }, { to: count }, { limit: count }]);
    for (const range of [...ranges, null, 1])
      await expectCode(collect(store.read('t1', wrong(range))), 'USAGE');
    expect(await collect(store.read('t1', { from: 7, to: 3 }))).toEqual([]);
  },

  'a malformed commit is refused as one, and nothing is written': async ({ store }) => {
    const record = { category: 'config', key: 'a' };
    const commits = [
      null,
      'commit',
      {},
      { task: 1 },
      ...[null, 0, -1, 1.5, '1', {}].map((fence) => ({ task: 't1', fence })),
      ...[{}, 'x', null].map((records) => ({ task: null, records })),
      ...[null, 'x', 1].map((write) => ({ task: null, records: [write] })),
      { task: null, records: [record] },
      { task: null, records: [{ ...record, remove: false }] },
      { task: null, records: [{ ...record, remove: false, data: 1 }] },
      { task: null, records: [{ ...record, remove: true, data: 1 }] },
      ...[null, 'x', {}, { after: START }, { entries: [] }].map((given) => ({ task: 't1', append: given })),
      { task: 't1', append: { after: START, entries: 'x' } },
      { task: 't1', append: { after: null, entries: [] } },
      ...[null, 'x', {}].map((cut) => ({ task: 't1', cut })),
    ];
    for (const commit of commits) await expectCode(store.commit(wrong<Commit>(commit)), 'INVALID_COMMIT');
    expect(await store.list('config')).toEqual([]);
    expect((await store.tasks()).keys).toEqual([]);
  },

  'a blob is bytes': async ({ store }) => {
    const good = { kind: 'other', bytes: new Uint8Array([1]) };
    const lists = [
      ...['text', [1, 2], null, undefined, new ArrayBuffer(1)].map((bytes) => [
        good,
        { kind: 'other', bytes },
      ]),
      [good, null],
      good,
      'text',
    ];
    for (const blobs of lists) await expectCode(store.putBlobs('t1', wrong<NewBlob[]>(blobs)), 'USAGE');
    expect(await collect(store.listBlobs('t1'))).toEqual([]);
  },

  'blobs are deleted as old by a time that is one': async ({ store }) => {
    const ids = await store.putBlobs('t1', [{ kind: 'other', bytes: new Uint8Array([1]) }]);
    for (const time of ['soon', '2030', 7, null, new Date(), Number.NaN]) {
      const options = { stored_before: wrong<string>(time) };
      await expectCode(store.deleteBlobs('t1', ids, options), 'USAGE');
    }
    expect(await collect(store.listBlobs('t1'))).toHaveLength(1);
  },

  'a record in tasks has a task and a name of its own': async ({ store }) => {
    await expectCode(store.get('tasks', 't1'), 'INVALID_ID');
    await expectCode(store.load('tasks', 't1'), 'INVALID_ID');
    await expectCode(store.save('tasks', 't1', 1), 'INVALID_ID');
    await expectCode(store.delete('tasks', 't1'), 'INVALID_ID');
  },

  'an owned task names its owner': async ({ store, another }) => {
    await append(store, 't1', ['one']);
    const { fence } = await store.claim('t1');
    const owner = await store.owner('t1');
    const refusal = { code: 'TASK_OWNED', data: { task: 't1', ...owner, fence } };
    for (const user of [store, await another()]) {
      await expect(user.claim('t1')).rejects.toMatchObject(refusal);
      await expect(append(user, 't1', ['x'])).rejects.toMatchObject(refusal);
      await expect(user.removeTask('t1')).rejects.toMatchObject(refusal);
      await expect(user.compact('t1')).rejects.toMatchObject(refusal);
      await expect(user.repair('t1')).rejects.toMatchObject(refusal);
    }
  },

  'an old fence is told, with the one that counts now if any': async ({ store, another }) => {
    const old = await store.claim('t1');
    await append(store, 't1', ['one'], { fence: old.fence });
    await old.release();
    const { fence } = old;
    const calls = [
      () => store.commit({ task: 't1', fence }),
      () => store.removeTask('t1', { fence }),
      () => store.compact('t1', { fence }),
      () => store.repair('t1', { fence }),
      () => store.repair('t2', { fence }),
    ];
    const expectFencedOut = async (current: (value: unknown) => boolean) => {
      for (const call of calls) {
        const error = await call().then(
          () => null,
          (reason: unknown) => reason,
        );
        expect(error).toMatchObject({
          code: 'FENCED_OUT',
          data: { task: expect.stringMatching(/^t[12]$/), fence, current: expect.toSatisfy(current) },
        });
      }
    };
    await expectFencedOut((current) => current === null);
    const taken = await (await another()).claim('t1');
    await expectFencedOut((current) => current === null || current === taken.fence);
  },
};
