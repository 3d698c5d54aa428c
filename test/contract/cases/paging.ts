/** Lists in pages, in the order of UTF-8 bytes. */
import { expect } from 'vitest';
import type { Cases } from '../harness.ts';
import { allPages, append } from '../support.ts';

/** Sorted by UTF-8 bytes; UTF-16 code units would put the last two before U+FF21. */
const ORDERED = ['A', 'B/1', 'B/2', 'Z', 'a', 'a/b', 'aa', 'é', '日本', '\ue000', 'ＡＢ', '😀', '😀/x'];

export const pagingCases: Cases = {
  'list is in the order of UTF-8 bytes': async ({ store }) => {
    for (const key of ORDERED.toReversed()) await store.save('config', key, 1);
    expect(await store.list('config')).toEqual(ORDERED);
  },

  'pages of any size, in both orders, give every key once': async ({ store }) => {
    for (const key of ORDERED) await store.save('config', key, 1);
    await store.save('history', 'other', 1);
    for (const limit of [1, 2, 5, ORDERED.length, 100]) {
      const ask = store.page.bind(store, 'config');
      expect(await allPages(ask, { limit })).toEqual(ORDERED);
      expect(await allPages(ask, { limit, reverse: true })).toEqual(ORDERED.toReversed());
    }
  },

  'a prefix selects, in both orders and across pages': async ({ store }) => {
    for (const key of ORDERED) await store.save('config', key, 1);
    for (const prefix of ['', 'a', 'a/', 'B/', '😀', '日', '\ue000', 'nothing', '%', '_', '\u{10ffff}']) {
      const expected = ORDERED.filter((key) => key.startsWith(prefix));
      const ask = store.page.bind(store, 'config');
      expect(await allPages(ask, { prefix, limit: 2 })).toEqual(expected);
      expect(await allPages(ask, { prefix, limit: 2, reverse: true })).toEqual(expected.toReversed());
    }
  },

  'a page goes on after a key that is no longer there': async ({ store }) => {
    for (const key of ['a', 'b', 'c', 'd']) await store.save('config', key, 1);
    await store.delete('config', 'b');
    expect((await store.page('config', { after: 'b' })).keys).toEqual(['c', 'd']);
    expect((await store.page('config', { after: 'c', reverse: true })).keys).toEqual(['a']);
    expect((await store.page('config', { after: '0', prefix: 'c' })).keys).toEqual(['c']);
    expect((await store.page('config', { after: 'z' })).keys).toEqual([]);
  },

  'a page has 100 keys by default, and the last page says so': async ({ store }) => {
    const keys = Array.from({ length: 101 }, (_, i) => `k${String(i).padStart(3, '0')}`);
    await store.commit({ task: null, records: keys.map((key) => ({ category: 'config', key, data: 1 })) });
    const first = await store.page('config');
    expect(first.keys).toEqual(keys.slice(0, 100));
    expect(first.next).not.toBeNull();
    expect(await store.page('config', { after: first.next! })).toEqual({ keys: ['k100'], next: null });
  },

  'tasks are listed newest first when asked for in reverse': async ({ store }) => {
    const ids = ['t01', 't02', 't03', 't04', 't05'];
    for (const id of ['t03', 't01', 't05']) await append(store, id, ['entry']);
    for (const id of ['t02', 't04']) await store.save('tasks', `${id}/state`, 1);
    expect(await allPages(store.tasks.bind(store), { limit: 2, reverse: true })).toEqual(ids.toReversed());
    expect(await allPages(store.tasks.bind(store), { limit: 2 })).toEqual(ids);
    expect((await store.tasks({ prefix: 't0', after: 't04', reverse: true, limit: 2 })).keys).toEqual([
      't03',
      't02',
    ]);
  },

  'an empty store has empty lists': async ({ store }) => {
    expect(await store.tasks()).toEqual({ keys: [], next: null });
    expect(await store.page('config')).toEqual({ keys: [], next: null });
  },
};
