/** One writer per task: claims, fences, and what they keep out. */
import { expect } from 'vitest';
import type { Cases } from '../harness.ts';
import { append, dataOf, expectCode, expectHealthy, fill, numbersOf } from '../support.ts';

const state = (data: unknown) => [{ category: 'tasks', key: 't1/state', data }];

export const claimCases: Cases = {
  'a claim tells its fence, and owner tells who holds it': async ({ store }) => {
    expect(await store.owner('t1')).toBeNull();
    const claim = await store.claim('t1');
    expect(claim).toMatchObject({ task: 't1', fence: expect.any(Number) });
    expect(claim.lost.aborted).toBe(false);
    const owner = await store.owner('t1');
    expect(owner).toEqual({
      fence: claim.fence,
      holder: expect.stringContaining(`${process.pid}`),
      since: expect.any(String),
    });
    await claim.release();
    expect(await store.owner('t1')).toBeNull();
  },

  'a second claimer is refused, in the same store and in another': async ({ store, another }) => {
    const claim = await store.claim('t1');
    const other = await another();
    await expectCode(store.claim('t1'), 'TASK_OWNED');
    await expectCode(other.claim('t1'), 'TASK_OWNED');
    expect(await other.owner('t1')).toMatchObject({ fence: claim.fence });
    await other.claim('t2');
  },

  'of many claimers at once exactly one wins': async ({ store, another }) => {
    const other = await another();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 12 }, (_, i) => (i % 2 ? store : other).claim('t1')),
    );
    const lost = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(lost).toHaveLength(11);
    for (const { reason } of lost) expect(reason).toMatchObject({ code: 'TASK_OWNED' });
  },

  'a released task can be claimed again, with a larger fence': async (context) => {
    const fences: number[] = [];
    for (let n = 0; n < 3; n++) {
      const claim = await context.store.claim('t1');
      fences.push(claim.fence);
      await claim.release();
      await claim.release();
    }
    const other = await (await context.another()).claim('t1');
    fences.push(other.fence);
    await other.release();
    await context.reopen();
    fences.push((await context.store.claim('t1')).fence);
    expect(fences).toEqual([...new Set(fences)].sort((a, b) => a - b));
  },

  'the owner writes with its fence': async ({ store }) => {
    const { fence } = await store.claim('t1');
    const first = await append(store, 't1', ['one'], { fence, records: state(1) });
    await store.commit({ task: 't1', fence, append: { after: first, entries: ['two'] } });
    await store.commit({ task: 't1', fence, cut: { from: 1, to: 1 } });
    expect(await dataOf(store, 't1')).toEqual(['two']);
    expect(await store.load('tasks', 't1/state')).toBe(1);
  },

  'nobody writes to an owned task without its fence': async ({ store, another }) => {
    await fill(store, 't1', 2);
    const { fence } = await store.claim('t1');
    for (const writer of [store, await another()]) {
      await expectCode(append(writer, 't1', ['x']), 'TASK_OWNED');
      await expectCode(writer.save('tasks', 't1/state', 1), 'TASK_OWNED');
      await expectCode(writer.delete('tasks', 't1/state'), 'TASK_OWNED');
      await expectCode(writer.commit({ task: 't1', cut: { from: 1, to: 1 } }), 'TASK_OWNED');
      await expectCode(writer.removeTask('t1'), 'TASK_OWNED');
      await expectCode(writer.compact('t1'), 'TASK_OWNED');
    }
    expect(await numbersOf(store, 't1')).toEqual([1, 2]);
    expect(await store.list('tasks')).toEqual([]);
    await append(store, 't1', ['three'], { fence });
  },

  'other tasks and records outside tasks are open to all': async ({ store, another }) => {
    await store.claim('t1');
    const other = await another();
    await append(other, 't2', ['x']);
    await other.save('config', 'a', 1);
    expect(await other.load('config', 'a')).toBe(1);
  },

  'an owned task is readable by all': async ({ store, another }) => {
    const { fence } = await store.claim('t1');
    const other = await another();
    const end = await append(store, 't1', ['one', 'two'], { fence, records: state('mine') });
    expect(await dataOf(other, 't1')).toEqual(['one', 'two']);
    expect(await other.load('tasks', 't1/state')).toBe('mine');
    expect(await other.position('t1')).toEqual(end);
    expect((await other.tasks()).keys).toEqual(['t1']);
  },

  'an old fence writes nothing after release': async ({ store }) => {
    const claim = await store.claim('t1');
    const end = await append(store, 't1', ['one'], { fence: claim.fence });
    await claim.release();
    const late = {
      task: 't1',
      fence: claim.fence,
      append: { after: end, entries: ['late'] },
      records: state('late'),
    };
    await expectCode(store.commit(late), 'FENCED_OUT');
    expect(await store.position('t1')).toEqual(end);
    expect(await store.load('tasks', 't1/state')).toBeNull();
  },

  'a commit that a release overtakes is done before it, or refused': async ({ store, another }) => {
    const other = await another();
    const expected: string[] = [];
    for (let n = 0; n < 10; n++) {
      const claim = await store.claim('t1');
      const after = await store.position('t1');
      const releasing = claim.release();
      const late = store.commit({
        task: 't1',
        fence: claim.fence,
        append: { after, entries: [`late ${n}`] },
      });
      const outcome = late.then(
        () => 'done',
        (error: { code: string }) => error.code,
      );
      await releasing;
      const next = await other.claim('t1');
      await append(other, 't1', [`next ${n}`], { fence: next.fence });
      await next.release();
      expect(['done', 'FENCED_OUT']).toContain(await outcome);
      if ((await outcome) === 'done') expected.push(`late ${n}`);
      expected.push(`next ${n}`);
    }
    expect(await dataOf(store, 't1')).toEqual(expected);
    await expectHealthy(store);
  },

  'an old fence writes nothing under a new owner': async ({ store, another }) => {
    const old = await store.claim('t1');
    const end = await append(store, 't1', ['one'], { fence: old.fence });
    await old.release();
    const other = await another();
    const { fence } = await other.claim('t1');
    const late = {
      task: 't1',
      fence: old.fence,
      append: { after: end, entries: ['late'] },
      records: state('late'),
    };
    await expectCode(store.commit(late), 'FENCED_OUT');
    await expectCode(store.removeTask('t1', { fence: old.fence }), 'FENCED_OUT');
    await expectCode(store.compact('t1', { fence: old.fence }), 'FENCED_OUT');
    await append(other, 't1', ['two'], { fence });
    expect(await dataOf(store, 't1')).toEqual(['one', 'two']);
  },

  'a fence nobody was given writes nothing': async ({ store }) => {
    await expectCode(store.commit({ task: 't1', fence: 1, records: state(1) }), 'FENCED_OUT');
    const { fence } = await store.claim('t1');
    await expectCode(store.commit({ task: 't1', fence: fence + 1, records: state(1) }), 'FENCED_OUT');
    await expectCode(store.commit({ task: 't2', fence, records: [] }), 'FENCED_OUT');
    expect(await store.list('tasks')).toEqual([]);
  },

  'a released task is open to writers without a claim': async ({ store, another }) => {
    const claim = await store.claim('t1');
    await append(store, 't1', ['one'], { fence: claim.fence });
    await claim.release();
    await append(await another(), 't1', ['two']);
    expect(await dataOf(store, 't1')).toEqual(['one', 'two']);
  },

  'closing the store releases its claims': async ({ store, another }) => {
    const first = await another();
    const { fence } = await first.claim('t1');
    await append(first, 't1', ['one'], { fence });
    await first.close();
    const claim = await store.claim('t1');
    expect(claim.fence).toBeGreaterThan(fence);
  },

  'the owner may remove and compact its task': async ({ store }) => {
    const { fence } = await store.claim('t1');
    await append(store, 't1', ['one', 'two'], { fence });
    await store.commit({ task: 't1', fence, cut: { from: 2, to: 2 } });
    expect(await store.compact('t1', { fence })).toBeGreaterThan(0);
    expect(await store.removeTask('t1', { fence })).toBe(true);
    await append(store, 't1', ['again'], { fence });
    expect(await dataOf(store, 't1')).toEqual(['again']);
  },

  'a fence stays larger than those of a task that was removed': async ({ store }) => {
    const first = await store.claim('t1');
    await append(store, 't1', ['one'], { fence: first.fence });
    await store.removeTask('t1', { fence: first.fence });
    await first.release();
    expect((await store.claim('t1')).fence).toBeGreaterThan(first.fence);
  },
};
