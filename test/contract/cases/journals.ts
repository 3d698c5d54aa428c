/** Journals: appended after a known position, read in any range, cut and compacted. */
import { hash } from 'node:crypto';
import { expect } from 'vitest';
import { next, START } from '../../../src/storage/chain.ts';
import { encode } from '../../../src/storage/serialize.ts';
import type { Cases } from '../harness.ts';
import { append, collect, dataOf, expectCode, expectHealthy, fill, numbersOf } from '../support.ts';

const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, i) => first + i);

export const journalCases: Cases = {
  'a journal that is not there is empty': async ({ store }) => {
    expect(await store.position('t1')).toEqual(START);
    expect(await dataOf(store, 't1')).toEqual([]);
    expect(await dataOf(store, 't1', { reverse: true, limit: 5 })).toEqual([]);
  },

  'entries come back in order with numbers from 1 and chained hashes': async (context) => {
    const end = await append(context.store, 't1', [{ n: 1 }, { n: 2 }, { n: 3 }]);
    await context.reopen();
    let at = START;
    const expected = [{ n: 1 }, { n: 2 }, { n: 3 }].map((data) => {
      at = next(at, encode(data));
      return { ...at, data };
    });
    const found = await collect(context.store.read('t1'));
    const { seq, hash: last } = found.at(-1)!;
    expect(found).toEqual(expected);
    expect(end).toEqual({ seq, hash: last });
    expect(await context.store.position('t1')).toEqual(end);
  },

  'the chain is the same on every back end': async ({ store }) => {
    const { hash: end } = await append(store, 't1', ['a']);
    expect(end).toBe(hash('sha256', `${'0'.repeat(64)}:1:"a"`));
  },

  'any range reads, forwards and backwards': async (context) => {
    await fill(context.store, 't1', 20);
    await context.nowAndReopened(async (store) => {
      expect(await numbersOf(store, 't1')).toEqual(upTo(20));
      expect(await numbersOf(store, 't1', { reverse: true })).toEqual(upTo(20).reverse());
      expect(await numbersOf(store, 't1', { from: 5, to: 9 })).toEqual(upTo(9, 5));
      expect(await numbersOf(store, 't1', { from: 5, to: 9, reverse: true })).toEqual(upTo(9, 5).reverse());
      expect(await numbersOf(store, 't1', { limit: 3 })).toEqual([1, 2, 3]);
      expect(await numbersOf(store, 't1', { reverse: true, limit: 3 })).toEqual([20, 19, 18]);
      expect(await numbersOf(store, 't1', { from: 18, to: 99 })).toEqual([18, 19, 20]);
      expect(await numbersOf(store, 't1', { from: 21 })).toEqual([]);
      expect(await numbersOf(store, 't1', { from: 9, to: 5 })).toEqual([]);
    });
  },

  'a long journal reads whole in both directions': async ({ store }) => {
    const texts = Array.from({ length: 1500 }, (_, i) => `${i}-${'x'.repeat((i * 37) % 3000)}`);
    for (let i = 0; i < texts.length; i += 100) await append(store, 't1', texts.slice(i, i + 100));
    expect(await dataOf(store, 't1')).toEqual(texts);
    expect(await dataOf(store, 't1', { reverse: true })).toEqual(texts.toReversed());
    expect(await numbersOf(store, 't1', { from: 1400, limit: 5 })).toEqual(upTo(1404, 1400));
  },

  'a reader may stop early': async ({ store }) => {
    await fill(store, 't1', 1000);
    for await (const { seq } of store.read('t1')) if (seq === 3) break;
    await append(store, 't1', ['after']);
    expect(await dataOf(store, 't1', { from: 1001 })).toEqual(['after']);
  },

  'entries appended while reading do not disturb the reader': async ({ store }) => {
    await fill(store, 't1', 1200);
    const seen: number[] = [];
    for await (const { seq } of store.read('t1')) {
      seen.push(seq);
      if (seq % 400 === 0) await append(store, 't1', ['late']);
    }
    expect(seen.slice(0, 1200)).toEqual(upTo(1200));
    expect(seen).toEqual(upTo(seen.length));
    expect(await store.position('t1')).toMatchObject({ seq: 1203 });
  },

  'appending after another position is stale': async ({ store }) => {
    const one = await append(store, 't1', ['one']);
    const two = await append(store, 't1', ['two']);
    const entries = ['x'];
    await expectCode(store.commit({ task: 't1', append: { after: one, entries } }), 'STALE_WRITE');
    const forged = { seq: two.seq, hash: 'f'.repeat(64) };
    await expectCode(store.commit({ task: 't1', append: { after: forged, entries } }), 'STALE_WRITE');
    const ahead = { seq: 5, hash: two.hash };
    await expectCode(store.commit({ task: 't1', append: { after: ahead, entries } }), 'STALE_WRITE');
    expect(await dataOf(store, 't1')).toEqual(['one', 'two']);
  },

  'cut entries are gone from reads, their numbers stay used': async (context) => {
    const end = await fill(context.store, 't1', 10);
    await context.store.commit({ task: 't1', cut: { from: 4, to: 6 } });
    await context.nowAndReopened(async (store) => {
      expect(await numbersOf(store, 't1')).toEqual([1, 2, 3, 7, 8, 9, 10]);
      expect(await numbersOf(store, 't1', { reverse: true })).toEqual([10, 9, 8, 7, 3, 2, 1]);
      expect(await numbersOf(store, 't1', { from: 5, to: 8 })).toEqual([7, 8]);
      expect(await numbersOf(store, 't1', { from: 4, to: 6 })).toEqual([]);
      expect(await numbersOf(store, 't1', { from: 3, limit: 2 })).toEqual([3, 7]);
      expect(await numbersOf(store, 't1', { to: 7, reverse: true, limit: 2 })).toEqual([7, 3]);
      expect(await store.position('t1')).toEqual(end);
    });
  },

  'a journal cut at its end goes on with new numbers': async (context) => {
    const end = await fill(context.store, 't1', 5);
    await context.store.commit({ task: 't1', cut: { from: 3, to: 5 } });
    expect(await context.store.position('t1')).toEqual(end);
    await append(context.store, 't1', ['six']);
    await context.reopen();
    expect(await numbersOf(context.store, 't1')).toEqual([1, 2, 6]);
    await expectHealthy(context.store);
  },

  'a cut concerns only entries that are there': async ({ store }) => {
    await fill(store, 't1', 3);
    await store.commit({ task: 't1', cut: { from: 3, to: 99 } });
    await append(store, 't1', ['four']);
    expect(await numbersOf(store, 't1')).toEqual([1, 2, 4]);
    await store.commit({ task: 't1', cut: { from: 50, to: 60 } });
    expect(await numbersOf(store, 't1')).toEqual([1, 2, 4]);
    await expectHealthy(store);
  },

  'cuts may touch, overlap and repeat': async (context) => {
    await fill(context.store, 't1', 12);
    for (const [from, to] of [
      [3, 4],
      [5, 6],
      [8, 10],
      [6, 8],
      [3, 4],
      [1, 1],
    ] as const)
      await context.store.commit({ task: 't1', cut: { from, to } });
    await context.nowAndReopened(async (store) => {
      expect(await numbersOf(store, 't1')).toEqual([2, 11, 12]);
    });
    await expectHealthy(context.store);
  },

  'compacting frees cut entries and leaves a verifiable gap': async (context) => {
    await append(context.store, 't1', Array(10).fill('x'.repeat(1000)));
    await context.store.commit({ task: 't1', cut: { from: 2, to: 9 } });
    expect(await context.store.compact('t1')).toBeGreaterThanOrEqual(8 * 1000);
    await context.nowAndReopened(async (store) => {
      expect(await numbersOf(store, 't1')).toEqual([1, 10]);
      expect(await numbersOf(store, 't1', { reverse: true })).toEqual([10, 1]);
      await expectHealthy(store);
    });
    expect(await context.store.compact('t1')).toBe(0);
  },

  'what was compacted can be cut around and compacted again': async (context) => {
    await fill(context.store, 't1', 10);
    for (const [from, to] of [
      [4, 5],
      [6, 7],
      [9, 10],
    ] as const) {
      await context.store.commit({ task: 't1', cut: { from, to } });
      await context.store.compact('t1');
    }
    const end = await append(context.store, 't1', ['eleven']);
    await context.nowAndReopened(async (store) => {
      expect(await numbersOf(store, 't1')).toEqual([1, 2, 3, 8, 11]);
      expect(await store.position('t1')).toEqual(end);
      await expectHealthy(store);
    });
  },

  'a journal cut and compacted whole still knows its end': async (context) => {
    const end = await fill(context.store, 't1', 4);
    await context.store.commit({ task: 't1', cut: { from: 1, to: 4 } });
    await context.store.compact('t1');
    await context.reopen();
    expect(await numbersOf(context.store, 't1')).toEqual([]);
    expect(await context.store.position('t1')).toEqual(end);
    await append(context.store, 't1', ['five']);
    expect(await numbersOf(context.store, 't1')).toEqual([5]);
    await expectHealthy(context.store);
  },

  'compacting keeps the newest version of every record': async (context) => {
    for (let n = 0; n < 20; n++) await context.store.save('tasks', 't1/state', { n });
    await append(context.store, 't1', ['entry']);
    await context.store.compact('t1');
    await context.reopen();
    expect(await context.store.load('tasks', 't1/state')).toEqual({ n: 19 });
    expect(await dataOf(context.store, 't1')).toEqual(['entry']);
  },

  'a cut and a record go together': async ({ store }) => {
    await fill(store, 't1', 3);
    await store.commit({
      task: 't1',
      cut: { from: 2, to: 3 },
      records: [{ category: 'tasks', key: 't1/state', data: 'rolled back' }],
    });
    expect(await numbersOf(store, 't1')).toEqual([1]);
    expect(await store.load('tasks', 't1/state')).toBe('rolled back');
  },

  'journals of many tasks at once keep to themselves': async ({ store }) => {
    const tasks = Array.from({ length: 16 }, (_, i) => `t${i}`);
    await Promise.all(
      tasks.map(async (task) => {
        let after = START;
        for (let n = 0; n < 20; n++)
          after = (await store.commit({ task, append: { after, entries: [{ task, n }] } })).position!;
      }),
    );
    for (const task of tasks)
      expect(await dataOf(store, task)).toEqual(Array.from({ length: 20 }, (_, n) => ({ task, n })));
    await expectHealthy(store);
  },
};
