/** What may be stored, and what is refused before anything is written. */
import { expect } from 'vitest';
import { NotSerialisableError } from '../../../src/errors.ts';
import type { Cases } from '../harness.ts';
import { append, dataOf, expectCode } from '../support.ts';

const RICH = {
  date: new Date('2026-01-02T03:04:05.678Z'),
  map: new Map<unknown, unknown>([
    ['a', new Set([1, 2n])],
    [{ key: true }, [undefined, null]],
  ]),
  big: 12345678901234567890n,
  bytes: new Uint8Array([0, 1, 254, 255]),
  floats: new Float64Array([0.1, Number.NaN, Number.NEGATIVE_INFINITY]),
  numbers: [-0, Number.NaN, Number.POSITIVE_INFINITY, Number.MAX_SAFE_INTEGER, 5e-324],
  texts: ['', '\0', 'tab\tline\nreturn\r', '\u2028\u2029', '\ud800 alone', '😀', '"\\', '$ve'],
  nested: { $ve: 'not a tag', deep: { deeper: [[[[{}]]]] } },
};

export const valueCases: Cases = {
  'rich values come back equal from records, before and after reopening': async (context) => {
    await context.store.save('state', 'rich', RICH);
    expect(await context.store.load('state', 'rich')).toEqual(RICH);
    await context.reopen();
    expect(await context.store.load('state', 'rich')).toEqual(RICH);
    expect(Object.is((await context.store.load('state', 'zero')) ?? 0, 0)).toBe(true);
  },

  'rich values come back equal from journals': async (context) => {
    await append(context.store, 't1', [RICH, undefined, -0, 'text']);
    await context.reopen();
    const [rich, nothing, zero, text] = await dataOf(context.store, 't1');
    expect(rich).toEqual(RICH);
    expect(nothing).toBeUndefined();
    expect(Object.is(zero, -0)).toBe(true);
    expect(text).toBe('text');
  },

  'an error comes back with name, message, code and cause': async ({ store }) => {
    const cause = new TypeError('underneath');
    await store.save('state', 'error', Object.assign(new Error('outside', { cause }), { code: 'E_TEST' }));
    const found = (await store.load('state', 'error')) as Error & { code: string };
    expect(found).toBeInstanceOf(Error);
    expect(found).toMatchObject({ message: 'outside', code: 'E_TEST' });
    expect(found.cause).toBeInstanceOf(TypeError);
  },

  'a value of a megabyte comes back equal': async (context) => {
    const large = { text: 'äöü😀'.repeat(100_000) };
    await context.store.save('state', 'large', large);
    await append(context.store, 't1', [large, 'small', large]);
    await context.reopen();
    expect(await context.store.load('state', 'large')).toEqual(large);
    expect(await dataOf(context.store, 't1')).toEqual([large, 'small', large]);
  },

  'later changes to a value that was handed over are not stored': async ({ store }) => {
    const value = { n: 1 };
    const bytes = new Uint8Array([1, 2, 3]);
    const saving = store.save('state', 'v', value);
    const putting = store.putBlobs(null, [{ kind: 'other', bytes }]);
    value.n = 2;
    bytes.fill(9);
    await saving;
    const [id] = await putting;
    expect(await store.load('state', 'v')).toEqual({ n: 1 });
    expect([...(await store.getBlob(null, id!))!]).toEqual([1, 2, 3]);
  },

  'what cannot be stored is refused with its path, and nothing is written': async ({ store }) => {
    await store.save('tasks', 't1/state', 'before');
    const start = await store.position('t1');
    const bad = { client: { socket: () => {} } };
    await expect(store.save('config', 'bad', bad)).rejects.toMatchObject({
      code: 'NOT_SERIALISABLE',
      data: { path: expect.stringContaining('client.socket') },
    });
    const mixed = store.commit({
      task: 't1',
      append: { after: start, entries: ['fine', bad] },
      records: [{ category: 'tasks', key: 't1/state', data: 'after' }],
    });
    await expect(mixed).rejects.toBeInstanceOf(NotSerialisableError);
    expect(await store.list('config')).toEqual([]);
    expect(await store.load('tasks', 't1/state')).toBe('before');
    expect(await store.position('t1')).toEqual(start);
  },

  'a cycle, a symbol and a class nobody registered are refused': async ({ store }) => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    class Secret {
      hidden = 1;
    }
    for (const value of [cycle, Symbol('s'), new Secret(), new WeakMap(), Promise.resolve(1)])
      await expectCode(store.save('config', 'bad', value), 'NOT_SERIALISABLE');
    expect(await store.list('config')).toEqual([]);
  },
};
