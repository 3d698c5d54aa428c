/** Keys that try to escape or to collide are refused, or stored apart from all others. */
import { expect } from 'vitest';
import type { Cases } from '../harness.ts';
import { expectCode, expectHealthy } from '../support.ts';

const REFUSED = {
  empty: '',
  parent: '../x',
  'parent inside': 'a/../../x',
  'parent alone': '..',
  'parent at the end': 'a/..',
  here: './x',
  absolute: '/etc/passwd',
  'slash at the end': 'a/',
  'two slashes': 'a//b',
  backslash: '..\\x',
  'drive with backslash': 'C:\\x',
  NUL: 'a\0b',
  newline: 'a\nb',
  'line separator': 'a\u2028b',
  'delete character': 'a\x7fb',
  '300 characters': 'x'.repeat(300),
  '300 characters of three bytes': '€'.repeat(300),
  '1,000 characters in parts': Array(250).fill('abc').join('/'),
  'lone surrogate': 'a\ud800b',
  'decomposed (NFD)': 'e\u0301',
  'Kelvin sign, which is not NFC': '\u212a',
} as const;

const APART = [
  ...['Foo', 'foo', 'FOO', 'İ', 'i', 'I', 'ı', 'ß', 'ss', 'ſ', 's'],
  ...['a', 'a/b', 'a/b/c', 'a.json', 'a.json/b', 'a.json.json', 'a.b', 'a-b'],
  ...['con', 'CON', 'nul', 'nul.txt', 'aux/x', 'com1', 'lpt9.json'],
  ...['x', 'x.', 'x..', 'x ', ' x', '.x', '...', '.git/config', '.gitignore'],
  ...['%2e%2e', '%2E%2E', '%2e%2e/x', '%2F', '%', '%25', '%00', '%2'],
  ...[
    '~',
    '~root',
    '-rf',
    '$HOME',
    '`id`',
    '"q"',
    "'; DROP TABLE persistence; --",
    '%s',
    '_',
    '*',
    '?',
    '<>|',
    'a:b',
  ],
  ...[
    'é',
    'Å',
    '日本語',
    'שלום',
    '\u202ertl',
    '\u200d',
    '\ufeff',
    '\ufffd',
    '😀',
    '\u{10ffff}',
    '\ue000',
    'ＡＢ',
  ],
  ...['state', 'state.json', 'journal.log', 'store', 'records.log', 'constructor', '__proto__', 'toString'],
  ...['y'.repeat(180), `${'y'.repeat(179)}z`, '€'.repeat(60), `${'d/'.repeat(199)}f`],
];

export const keyCases: Cases = {
  'keys that try to escape are refused by every call': async ({ store, place }) => {
    for (const key of Object.values(REFUSED)) {
      await expectCode(store.save('config', key, 1), 'INVALID_KEY');
      await expectCode(store.load('config', key), 'INVALID_KEY');
      await expectCode(store.get('config', key), 'INVALID_KEY');
      await expectCode(store.delete('config', key), 'INVALID_KEY');
      const records = [{ category: 'config', key, data: 1 }];
      await expectCode(store.commit({ task: null, records }), 'INVALID_KEY');
    }
    expect(await store.list('config')).toEqual([]);
    expect(place.strangers()).toEqual([]);
  },

  'keys that look alike or mean something elsewhere are stored apart': async (context) => {
    await Promise.all(APART.map((key) => context.store.save('config', key, { key })));
    const check = async () => {
      for (const key of APART) expect(await context.store.load('config', key)).toEqual({ key });
      expect([...(await context.store.list('config'))].sort()).toEqual([...APART].sort());
    };
    await check();
    await context.reopen();
    await check();
    await expectHealthy(context.store);
    expect(context.place.strangers()).toEqual([]);
  },

  'deleting one of two alike leaves the other': async ({ store }) => {
    await Promise.all(APART.map((key) => store.save('config', key, { key })));
    const [even, odd] = [APART.filter((_, i) => i % 2 === 0), APART.filter((_, i) => i % 2 === 1)];
    for (const key of even) expect(await store.delete('config', key)).toBe(true);
    for (const key of even) expect(await store.load('config', key)).toBeNull();
    for (const key of odd) expect(await store.load('config', key)).toEqual({ key });
  },

  'the same holds inside a task': async ({ store }) => {
    const keys = APART.filter((key) => key.length < 180).map((key) => `t1/${key}`);
    await Promise.all(keys.map((key) => store.save('tasks', key, { key })));
    for (const key of keys) expect(await store.load('tasks', key)).toEqual({ key });
    expect(await store.removeTask('t1')).toBe(true);
    expect(await store.list('tasks')).toEqual([]);
  },

  'tasks whose ids differ by case or begin alike are apart': async ({ store }) => {
    const ids = ['Task', 'task', 'task-1', 'task-10', 'task0', 'task_', 't'];
    for (const id of ids) await store.save('tasks', `${id}/state`, id);
    expect(await store.removeTask('task')).toBe(true);
    for (const id of ids) expect(await store.load('tasks', `${id}/state`)).toBe(id === 'task' ? null : id);
    expect((await store.tasks()).keys).toEqual(ids.filter((id) => id !== 'task').sort());
  },

  'task ids that try to escape are refused by every call': async ({ store, place }) => {
    for (const task of [
      '',
      '.',
      '..',
      '../x',
      'a/b',
      'a.b',
      'a b',
      '-a',
      '@open-1',
      'é',
      'a\0',
      'a'.repeat(101),
    ]) {
      await expectCode(store.position(task), 'INVALID_ID');
      await expectCode(store.claim(task), 'INVALID_ID');
      await expectCode(store.owner(task), 'INVALID_ID');
      await expectCode(store.removeTask(task), 'INVALID_ID');
      await expectCode(store.putBlobs(task, []), 'INVALID_ID');
      await expectCode(store.commit({ task }), 'INVALID_ID');
    }
    expect(place.strangers()).toEqual([]);
  },

  'a record in tasks that belongs to no task is refused': async ({ store }) => {
    await expectCode(store.save('tasks', 'state', 1), 'INVALID_ID');
    await expectCode(store.save('tasks', 'a.b/state', 1), 'INVALID_ID');
  },
};
