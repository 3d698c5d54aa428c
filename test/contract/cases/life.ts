/** Opening, closing, checking. */
import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { START } from '../../../src/storage/chain.ts';
import type { Cases } from '../harness.ts';
import { append, collect, dataOf, expectCode, expectHealthy } from '../support.ts';

export const lifeCases: Cases = {
  'a closed store takes no calls, and closing twice is fine': async ({ store }) => {
    await append(store, 't1', ['entry']);
    await store.close();
    await store.close();
    const calls: (() => Promise<unknown>)[] = [
      () => store.save('config', 'a', 1),
      () => store.load('config', 'a'),
      () => store.delete('config', 'a'),
      () => store.list('config'),
      () => store.get('config', 'a'),
      () => store.page('config'),
      () => store.tasks(),
      () => store.commit({ task: null }),
      () => store.position('t1'),
      () => collect(store.read('t1')),
      () => store.putBlobs(null, [{ kind: 'other', bytes: new Uint8Array(1) }]),
      () => store.getBlob(null, `other/${'0'.repeat(64)}`),
      () => collect(store.listBlobs(null)),
      () => store.renewBlobs(null, [`other/${'0'.repeat(64)}`]),
      () => store.deleteBlobs(null, [`other/${'0'.repeat(64)}`]),
      () => store.claim('t1'),
      () => store.owner('t1'),
      () => store.removeTask('t1'),
      () => store.compact('t1'),
      () => store.repair('t1'),
      () => store.repair(null),
      () => store.size(),
      () => store.flush(),
      () => collect(store.verify()),
    ];
    for (const call of calls) await expectCode(call(), 'STORE_CLOSED');
  },

  'what was asked for before closing is done': async (context) => {
    const saving = Array.from({ length: 20 }, (_, i) => context.store.save('config', `k${i}`, i));
    await Promise.all([...saving, context.reopen()]);
    expect(await context.store.list('config')).toHaveLength(20);
  },

  'a commit that closing meets is done, or refused and not there': async (context) => {
    const { store } = context;
    const { fence } = await store.claim('t1');
    const outcomeOf = (commit: Promise<unknown>): Promise<string> =>
      commit.then(
        () => 'done',
        (error: { code: string }) => error.code,
      );
    const step = (task: string, at: { fence?: number }) =>
      outcomeOf(
        store.commit({
          task,
          ...at,
          append: { after: START, entries: ['entry'] },
          records: [{ category: 'tasks', key: `${task}/state`, data: 1 }],
        }),
      );
    const before = [step('t1', { fence }), step('t2', {})];
    const closing = store.close();
    const after = [step('t3', {}), outcomeOf(store.save('config', 'late', 1))];
    await closing;
    expect(await Promise.all(after)).toEqual(['STORE_CLOSED', 'STORE_CLOSED']);
    const outcomes = await Promise.all(before);
    for (const outcome of outcomes) expect(['done', 'STORE_CLOSED']).toContain(outcome);
    const written = ['t1', 't2'].filter((_, i) => outcomes[i] === 'done');
    const reopened = await context.reopen();
    expect((await reopened.tasks()).keys).toEqual(written);
    expect(await reopened.list('tasks')).toEqual(written.map((task) => `${task}/state`));
    expect(await reopened.list('config')).toEqual([]);
    for (const task of written) expect(await dataOf(reopened, task)).toEqual(['entry']);
  },

  'closing with a claim in progress leaves nothing owned': async (context) => {
    const claiming = context.store.claim('t1').catch((error: unknown) => error);
    await context.reopen();
    await claiming;
    const claim = await context.store.claim('t1');
    await claim.release();
  },

  'a healthy store has no problems': async (context) => {
    await expectHealthy(context.store);
    await append(context.store, 't1', ['a', 'b', 'c'], {
      records: [{ category: 'tasks', key: 't1/state', data: 1 }],
    });
    await context.store.commit({ task: 't1', cut: { from: 2, to: 2 } });
    await context.store.putBlobs('t1', [{ kind: 'other', bytes: new Uint8Array([1]) }]);
    await context.store.save('config', 'a', 1);
    await context.store.delete('config', 'a');
    await expectHealthy(context.store);
    await context.reopen();
    await expectHealthy(context.store);
  },

  'repairing what is whole changes nothing': async ({ store }) => {
    const end = await append(store, 't1', ['a', 'b']);
    expect(await store.repair('t1')).toBeNull();
    expect(await store.repair('t2')).toBeNull();
    expect(await store.position('t1')).toEqual(end);
  },

  'the size grows with what is stored, and shrinks when it goes': async (context) => {
    const empty = await context.store.size();
    const bytes = new Uint8Array(randomBytes(300_000));
    const [id] = await context.store.putBlobs('t1', [{ kind: 'other', bytes }]);
    const text = randomBytes(100_000).toString('hex');
    await append(context.store, 't1', [text], { records: [{ category: 'tasks', key: 't1/state', data: 1 }] });
    await context.nowAndReopened(async (store) => {
      expect(await store.size()).toBeGreaterThan(empty + 400_000);
    });
    const full = await context.store.size();
    await context.store.deleteBlobs('t1', [id!]);
    await context.store.commit({ task: 't1', cut: { from: 1, to: 1 } });
    await context.store.compact('t1');
    expect(await context.store.size()).toBeLessThan(full - 400_000);
  },

  'flush may be called at any time': async ({ store }) => {
    await store.flush();
    await Promise.all([store.save('tasks', 't1/state', 1), store.flush(), store.flush()]);
    expect(await store.load('tasks', 't1/state')).toBe(1);
  },

  'two users of one store in one process see each other': async ({ store, another }) => {
    const other = await another();
    await store.save('config', 'a', 1);
    expect(await other.load('config', 'a')).toBe(1);
    await append(other, 't1', ['x']);
    const end = await append(store, 't1', ['y']);
    expect(await other.position('t1')).toEqual(end);
    await other.removeTask('t1');
    expect((await store.tasks()).keys).toEqual([]);
    await other.close();
    await append(store, 't1', ['z']);
  },

  'each back end names itself': async ({ store }) => {
    expect(store.type).toMatch(/^[a-z]+$/);
    expect(typeof store.shared).toBe('boolean');
  },
};
