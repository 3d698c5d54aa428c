/** Commits: all of it or nothing, against known revisions and positions. */
import { expect } from 'vitest';
import { START } from '../../../src/storage/chain.ts';
import type { RecordWrite } from '../../../src/storage/contract.ts';
import type { Cases } from '../harness.ts';
import { append, dataOf, expectCode, expectHealthy } from '../support.ts';

const config = (key: string, data: unknown, expect?: number): RecordWrite =>
  expect === undefined ? { category: 'config', key, data } : { category: 'config', key, data, expect };
const state = (data: unknown): RecordWrite => ({ category: 'tasks', key: 't1/state', data });

export const commitCases: Cases = {
  'the receipt tells revision, place and whether it was there': async ({ store }) => {
    await store.save('config', 'old', 1);
    const { position, records } = await store.commit({
      task: null,
      records: [config('old', 2), config('new', 1), { category: 'config', key: 'absent', remove: true }],
    });
    expect(position).toBeNull();
    expect(records.map((record) => record.existed)).toEqual([true, false, false]);
    expect(records[0]!.revision).toBe((await store.get('config', 'old'))!.revision);
    expect(records[1]!.revision).toBe((await store.get('config', 'new'))!.revision);
    expect(records[2]!.revision).toBe(0);
    expect(records[1]!.location).toMatch(/\S/);
  },

  'expect 0 writes only where nothing is': async ({ store }) => {
    await store.commit({ task: null, records: [config('a', 1, 0)] });
    await expectCode(store.commit({ task: null, records: [config('a', 2, 0)] }), 'STALE_WRITE');
    expect(await store.load('config', 'a')).toBe(1);
    await store.delete('config', 'a');
    await store.commit({ task: null, records: [config('a', 3, 0)] });
    expect(await store.load('config', 'a')).toBe(3);
  },

  'expect writes only over that revision': async ({ store }) => {
    await store.save('config', 'a', 1);
    const { revision } = (await store.get('config', 'a'))!;
    await store.commit({ task: null, records: [config('a', 2, revision)] });
    await expectCode(store.commit({ task: null, records: [config('a', 3, revision)] }), 'STALE_WRITE');
    await expectCode(store.commit({ task: null, records: [config('a', 3, revision + 1000)] }), 'STALE_WRITE');
    expect(await store.load('config', 'a')).toBe(2);
  },

  'a revision from before a delete is stale after it': async ({ store }) => {
    await store.save('config', 'a', 1);
    const { revision } = (await store.get('config', 'a'))!;
    await store.delete('config', 'a');
    await expectCode(store.commit({ task: null, records: [config('a', 2, revision)] }), 'STALE_WRITE');
    await store.save('config', 'a', 1);
    await expectCode(store.commit({ task: null, records: [config('a', 2, revision)] }), 'STALE_WRITE');
    expect(await store.load('config', 'a')).toBe(1);
  },

  'a removal can be conditional too': async ({ store }) => {
    await store.save('config', 'a', 1);
    const { revision } = (await store.get('config', 'a'))!;
    const remove = (expected: number) =>
      store.commit({
        task: null,
        records: [{ category: 'config', key: 'a', remove: true, expect: expected }],
      });
    await expectCode(remove(revision + 1), 'STALE_WRITE');
    expect(await store.load('config', 'a')).toBe(1);
    expect((await remove(revision)).records[0]!.existed).toBe(true);
    await expectCode(remove(revision), 'STALE_WRITE');
    expect((await remove(0)).records[0]!.existed).toBe(false);
  },

  'a stale write names what it expected and what is there': async ({ store }) => {
    await store.save('config', 'a', 1);
    const { revision } = (await store.get('config', 'a'))!;
    await expect(store.commit({ task: null, records: [config('a', 2, 0)] })).rejects.toMatchObject({
      name: 'StaleWriteError',
      data: { category: 'config', key: 'a', expected: 0, actual: revision },
    });
  },

  'when the last of several writes is stale, nothing happened': async ({ store }) => {
    await store.save('config', 'kept', 'before');
    const writes = [
      config('new', 1),
      config('kept', 'after'),
      { category: 'config', key: 'gone', remove: true } as const,
    ];
    await expectCode(
      store.commit({ task: null, records: [...writes, config('kept2', 1, 77)] }),
      'STALE_WRITE',
    );
    expect(await store.list('config')).toEqual(['kept']);
    expect(await store.load('config', 'kept')).toBe('before');
  },

  'when the journal moved on, the records are not written either': async ({ store }) => {
    await append(store, 't1', ['one'], { records: [state('first')] });
    const stale = store.commit({
      task: 't1',
      append: { after: START, entries: ['two'] },
      records: [state('second')],
    });
    await expectCode(stale, 'STALE_WRITE');
    expect(await store.load('tasks', 't1/state')).toBe('first');
    expect(await dataOf(store, 't1')).toEqual(['one']);
    await expectHealthy(store);
  },

  'when a record is stale, nothing is appended': async ({ store }) => {
    const end = await append(store, 't1', ['one'], { records: [state('first')] });
    const stale = store.commit({
      task: 't1',
      append: { after: end, entries: ['two'] },
      records: [{ category: 'tasks', key: 't1/state', data: 'second', expect: 0 }],
    });
    await expectCode(stale, 'STALE_WRITE');
    expect(await store.position('t1')).toEqual(end);
  },

  'of commits made at once the stale ones fail alone': async ({ store }) => {
    await store.save('config', 'taken', 1);
    const outcomes = await Promise.allSettled([
      store.save('config', 'a', 1),
      store.commit({ task: null, records: [config('b', 1), config('taken', 2, 0)] }),
      append(store, 't1', ['entry']),
      store.save('config', '../escape', 1),
      store.commit({ task: 't2', append: { after: { seq: 9, hash: 'f'.repeat(64) }, entries: ['x'] } }),
      store.save('config', 'c', 1),
    ]);
    expect(outcomes.map((outcome) => outcome.status)).toEqual([
      ...['fulfilled', 'rejected', 'fulfilled', 'rejected', 'rejected', 'fulfilled'],
    ]);
    expect(await store.list('config')).toEqual(['a', 'c', 'taken']);
    expect((await store.tasks()).keys).toEqual(['t1']);
    await expectHealthy(store);
  },

  'of commits after one position made at once exactly one succeeds': async ({ store }) => {
    const after = await append(store, 't1', ['first']);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => store.commit({ task: 't1', append: { after, entries: [{ n }] } })),
    );
    const failed = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(failed).toHaveLength(19);
    for (const { reason } of failed) expect(reason).toMatchObject({ code: 'STALE_WRITE' });
    expect(await dataOf(store, 't1')).toHaveLength(2);
  },

  'commits that break the rules of scope are refused': async ({ store }) => {
    const entries = { after: START, entries: ['x'] };
    const refused: Parameters<typeof store.commit>[0][] = [
      { task: null, append: entries },
      { task: null, cut: { from: 1, to: 1 } },
      { task: null, fence: 1 },
      { task: null, records: [state(1)] },
      { task: 't1', records: [config('a', 1)] },
      { task: 't1', records: [{ category: 'tasks', key: 't2/state', data: 1 }] },
      { task: 't1', records: [state(1), state(2)] },
      { task: 't1', append: entries, cut: { from: 1, to: 1 } },
      { task: 't1', cut: { from: 2, to: 1 } },
      { task: 't1', cut: { from: 0, to: 1 } },
      { task: 't1', append: { after: { seq: -1, hash: START.hash }, entries: [] } },
      { task: 't1', append: { after: { seq: 0, hash: 'short' }, entries: [] } },
      { task: null, records: [config('a', 1, -1)] },
      { task: null, records: [config('a', 1, 0.5)] },
    ];
    for (const commit of refused) await expectCode(store.commit(commit), 'INVALID_COMMIT');
    expect((await store.tasks()).keys).toEqual([]);
    expect(await store.list('config')).toEqual([]);
  },

  'an empty commit changes nothing': async ({ store }) => {
    expect(await store.commit({ task: null })).toEqual({ position: null, records: [] });
    expect(await store.commit({ task: 't1', append: { after: START, entries: [] } })).toEqual({
      position: START,
      records: [],
    });
    expect((await store.tasks()).keys).toEqual([]);
  },
};
