/** SPEC's four verbs, and revisions. */
import { expect } from 'vitest';
import type { Cases } from '../harness.ts';
import { expectCode, expectHealthy } from '../support.ts';

export const recordCases: Cases = {
  'an absent record loads as null': async ({ store }) => {
    expect(await store.load('conversation', 'c1')).toBeNull();
    expect(await store.get('conversation', 'c1')).toBeNull();
  },

  'a saved record loads as it was saved': async ({ store }) => {
    await store.save('conversation', 'c1', { messages: ['hello'] });
    expect(await store.load('conversation', 'c1')).toEqual({ messages: ['hello'] });
  },

  'save says where the record went, the same place each time': async ({ store }) => {
    const first = await store.save('config', 'a', 1);
    const other = await store.save('config', 'b', 1);
    expect(first).toMatch(/\S/);
    expect(other).not.toBe(first);
    expect(await store.save('config', 'a', 2)).toBe(first);
  },

  'saving again replaces the record': async ({ store }) => {
    await store.save('config', 'a', { old: true });
    await store.save('config', 'a', { new: true });
    expect(await store.load('config', 'a')).toEqual({ new: true });
    expect(await store.list('config')).toEqual(['a']);
  },

  'delete says whether the record was there': async ({ store }) => {
    await store.save('config', 'a', 1);
    expect(await store.delete('config', 'a')).toBe(true);
    expect(await store.delete('config', 'a')).toBe(false);
    expect(await store.delete('config', 'never')).toBe(false);
    expect(await store.load('config', 'a')).toBeNull();
  },

  'list answers the keys of one category, sorted': async ({ store }) => {
    for (const key of ['b', 'a/x', 'a', 'c']) await store.save('history', key, key);
    await store.save('conversation', 'z', 1);
    expect(await store.list('history')).toEqual(['a', 'a/x', 'b', 'c']);
    expect(await store.list('conversation')).toEqual(['z']);
    expect(await store.list('state')).toEqual([]);
    await store.delete('history', 'b');
    expect(await store.list('history')).toEqual(['a', 'a/x', 'c']);
  },

  'the same key in two categories is two records': async ({ store }) => {
    await store.save('config', 'same', 1);
    await store.save('state', 'same', 2);
    await store.delete('config', 'same');
    expect(await store.load('config', 'same')).toBeNull();
    expect(await store.load('state', 'same')).toBe(2);
  },

  'records of a task are saved, listed and deleted like others': async ({ store }) => {
    await store.save('tasks', 't1/state', { status: 'queued' });
    await store.save('tasks', 't1/checkpoints/2026-01-01', 1);
    expect(await store.list('tasks')).toEqual(['t1/checkpoints/2026-01-01', 't1/state']);
    expect(await store.delete('tasks', 't1/state')).toBe(true);
    expect(await store.load('tasks', 't1/state')).toBeNull();
  },

  'get tells revision and time': async ({ store }) => {
    const before = new Date().toISOString();
    await store.save('config', 'a', 1);
    const found = await store.get('config', 'a');
    expect(found).toEqual({ data: 1, revision: expect.any(Number), updated_at: expect.any(String) });
    expect(new Date(found!.updated_at).toISOString()).toBe(found!.updated_at);
    // The server's clock may be another one, but not by a day.
    expect(Math.abs(Date.parse(found!.updated_at) - Date.parse(before))).toBeLessThan(86_400_000);
  },

  'every write raises the revision, also after a delete and a reopening': async (context) => {
    const revisions: number[] = [];
    const note = async () => revisions.push((await context.store.get('config', 'a'))!.revision);
    await context.store.save('config', 'a', 1);
    await note();
    await context.store.save('config', 'a', 1);
    await note();
    await context.store.delete('config', 'a');
    await context.reopen();
    await context.store.save('config', 'a', 1);
    await note();
    expect(revisions[0]).toBeGreaterThan(0);
    expect(revisions[1]).toBeGreaterThan(revisions[0]!);
    expect(revisions[2]).toBeGreaterThan(revisions[1]!);
  },

  'a record whose data is null or false is there all the same': async ({ store }) => {
    await store.save('config', 'null', null);
    await store.save('config', 'false', false);
    expect(await store.get('config', 'null')).toMatchObject({ data: null });
    expect(await store.load('config', 'false')).toBe(false);
    expect(await store.list('config')).toEqual(['false', 'null']);
    expect(await store.delete('config', 'null')).toBe(true);
  },

  'many records saved at once are all there': async ({ store }) => {
    const keys = Array.from({ length: 150 }, (_, i) => `k${String(i).padStart(3, '0')}`);
    await Promise.all(keys.map((key) => store.save('config', key, { key })));
    expect(await store.list('config')).toEqual(keys);
    expect(await store.load('config', 'k077')).toEqual({ key: 'k077' });
    await expectHealthy(store);
  },

  'writes to one record at once leave one of them whole': async ({ store }) => {
    const values = Array.from({ length: 40 }, (_, i) => ({ i, text: `${i}`.repeat(500) }));
    await Promise.all(values.map((value) => store.save('config', 'contended', value)));
    expect(values).toContainEqual(await store.load('config', 'contended'));
  },

  'a category that is no category is refused': async ({ store }) => {
    for (const category of ['', 'A', '../x', 'a/b', '1a', 'a'.repeat(65), 'é']) {
      await expectCode(store.save(category, 'k', 1), 'INVALID_KEY');
      await expectCode(store.load(category, 'k'), 'INVALID_KEY');
      await expectCode(store.list(category), 'INVALID_KEY');
    }
  },

  'data survives closing and opening': async (context) => {
    await context.store.save('config', 'a', { n: 1 });
    await context.store.save('tasks', 't1/state', { n: 2 });
    const store = await context.reopen();
    expect(await store.load('config', 'a')).toEqual({ n: 1 });
    expect(await store.load('tasks', 't1/state')).toEqual({ n: 2 });
    await expectHealthy(store);
  },

  'the categories that have a record are listed, in order': async (context) => {
    const { store } = context;
    expect(await store.categories()).toEqual([]);
    for (const category of ['zebra', 'config', 'a-b', 'config2', 'a_b']) await store.save(category, 'k/l', 1);
    await store.save('tasks', 't1/state', 1);
    await store.save('gone', 'k', 1);
    await store.delete('gone', 'k');
    await store.commit({ task: null, records: [{ category: 'never', key: 'k', remove: true }] });
    await context.nowAndReopened(async (now) => {
      expect(await now.categories()).toEqual(['a-b', 'a_b', 'config', 'config2', 'zebra']);
    });
  },

  'the removal of what must not be there goes with a commit, or refuses all of it': async ({ store }) => {
    const guarded = (key: string) => ({
      task: null,
      records: [
        { category: 'config', key, data: 1 },
        { category: 'marks', key: 'm', remove: true as const, expect: 0 },
      ],
    });
    const { records } = await store.commit(guarded('a'));
    expect(records.map(({ existed }) => existed)).toEqual([false, false]);
    await store.save('marks', 'm', 1);
    await expectCode(store.commit(guarded('b')), 'STALE_WRITE');
    expect(await store.list('config')).toEqual(['a']);
    expect(await store.load('marks', 'm')).toBe(1);
  },
};
