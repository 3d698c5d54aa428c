/** Tasks as a whole: what counts as one, and removing it. */
import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { START } from '../../../src/storage/chain.ts';
import type { Cases } from '../harness.ts';
import { append, collect, dataOf, expectBytes, expectCode, expectHealthy, fill } from '../support.ts';

const blob = { kind: 'other', bytes: new TextEncoder().encode('bytes') };

export const taskCases: Cases = {
  'a task is there from its first entry or record': async ({ store }) => {
    await store.save('config', 't0', 1);
    await append(store, 't1', ['entry']);
    await store.save('tasks', 't2/state', 1);
    expect((await store.tasks()).keys).toEqual(['t1', 't2']);
  },

  'a claim alone makes no task': async (context) => {
    const claim = await context.store.claim('t1');
    expect((await context.store.tasks()).keys).toEqual([]);
    await claim.release();
    await context.reopen();
    expect((await context.store.tasks()).keys).toEqual([]);
  },

  'removing a task removes records, journal and blobs, and nothing else': async (context) => {
    for (const task of ['t1', 't10', 't2']) {
      await append(context.store, task, ['entry'], {
        records: [{ category: 'tasks', key: `${task}/state`, data: task }],
      });
      await context.store.putBlobs(task, [blob]);
    }
    const [shared] = await context.store.putBlobs(null, [blob]);
    await context.store.save('config', 't1', 'kept');
    expect(await context.store.removeTask('t1')).toBe(true);
    await context.nowAndReopened(async (store) => {
      expect((await store.tasks()).keys).toEqual(['t10', 't2']);
      expect(await store.list('tasks')).toEqual(['t10/state', 't2/state']);
      expect(await store.position('t1')).toEqual(START);
      expect(await dataOf(store, 't1')).toEqual([]);
      expect(await collect(store.listBlobs('t1'))).toEqual([]);
      expect(await store.getBlob('t1', shared!)).toBeNull();
      expectBytes(await store.getBlob('t10', shared!), blob.bytes);
      expectBytes(await store.getBlob(null, shared!), blob.bytes);
      expect(await store.load('config', 't1')).toBe('kept');
      expect(await dataOf(store, 't10')).toEqual(['entry']);
      await expectHealthy(store);
    });
  },

  'a task that has only blobs is removed with them': async (context) => {
    const [id] = await context.store.putBlobs('t1', [blob]);
    expect(await context.store.removeTask('t1')).toBe(true);
    await context.nowAndReopened(async (store) => {
      expect(await store.getBlob('t1', id!)).toBeNull();
      expect(await collect(store.listBlobs('t1'))).toEqual([]);
    });
    expect(await context.store.removeTask('t1')).toBe(false);
  },

  'removing a task that is not there is false': async ({ store }) => {
    expect(await store.removeTask('t1')).toBe(false);
    await append(store, 't1', ['entry']);
    expect(await store.removeTask('t1')).toBe(true);
    expect(await store.removeTask('t1')).toBe(false);
  },

  'a removed task can begin again, and what its former self knew is stale': async ({ store }) => {
    const end = await fill(store, 't1', 3);
    await store.save('tasks', 't1/state', 'old');
    const { revision } = (await store.get('tasks', 't1/state'))!;
    await store.removeTask('t1');
    await append(store, 't1', ['new']);
    await store.save('tasks', 't1/state', 'new');
    expect((await store.get('tasks', 't1/state'))!.revision).toBeGreaterThan(revision);
    await expectCode(store.commit({ task: 't1', append: { after: end, entries: ['late'] } }), 'STALE_WRITE');
    expect(await dataOf(store, 't1')).toEqual(['new']);
  },

  'compacting a task that is not there frees nothing': async ({ store }) => {
    expect(await store.compact('t1')).toBe(0);
  },

  'compacting the store frees what was removed, and leaves what is there': async (context) => {
    const { store } = context;
    const large = () => randomBytes(20_000).toString('hex');
    await store.save('config', 'kept', 'here');
    await append(store, 't1', ['entry']);
    const [shared] = await store.putBlobs(null, [blob]);
    const [own] = await store.putBlobs('t1', [blob]);
    for (const key of ['a', 'b', 'c']) await store.save('config', key, large());
    for (const key of ['a', 'b', 'c']) await store.delete('config', key);
    await append(store, 't2', [large()]);
    await store.removeTask('t2');
    expect(await store.compact(null)).toBeGreaterThan(20_000);
    await context.nowAndReopened(async (now) => {
      expect((await now.tasks()).keys).toEqual(['t1']);
      expect(await now.list('config')).toEqual(['kept']);
      expect(await now.load('config', 'kept')).toBe('here');
      expect(await dataOf(now, 't1')).toEqual(['entry']);
      expectBytes(await now.getBlob(null, shared!), blob.bytes);
      expectBytes(await now.getBlob('t1', own!), blob.bytes);
      await expectHealthy(now);
    });
    await context.store.save('config', 'later', 1);
    await append(context.store, 't1', ['later']);
    expect(await dataOf(context.store, 't1')).toEqual(['entry', 'later']);
  },

  'compacting the store takes blobs of tasks that are not there, unless somebody is about to make them':
    async ({ store, another }) => {
      await store.putBlobs('t1', [blob]);
      await store.putBlobs('t2', [blob]);
      const other = await another();
      const claim = await other.claim('t2');
      await store.compact(null);
      expect(await collect(store.listBlobs('t1'))).toEqual([]);
      expect(await collect(store.listBlobs('t2'))).toHaveLength(1);
      await append(other, 't2', ['entry'], { fence: claim.fence });
      await claim.release();
      await store.compact(null);
      expect(await collect(store.listBlobs('t2'))).toHaveLength(1);
    },
};
