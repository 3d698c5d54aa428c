/** A log whose sums hold, and which somebody else wrote: what it names stays inside its own task and the store. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { START } from '../../src/storage/chain.ts';
import { encodeFrame, type FrameMeta } from '../../src/storage/json/lines/frame.ts';
import { encodeHeader, NO_SUM } from '../../src/storage/json/lines/log.ts';
import { openJsonStorage } from '../../src/storage/json/open.ts';
import { encodeIndex } from '../../src/storage/json/view.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
const at = '2026-11-15T00:00:00.000Z';
const ID = 'log-1';

/** A store with task `t1` whose log has one commit, as its author likes it. */
async function storeWith(meta: Partial<FrameMeta>, texts: readonly string[]): Promise<string> {
  const root = join(tempDir(), 'project', '.vibe-engine');
  const store = await openJsonStorage({ root });
  for (const task of ['t1', 't2'])
    await store.commit({ task, records: [{ category: 'tasks', key: `${task}/state`, data: { of: task } }] });
  await store.close();
  const head = encodeHeader({ id: ID, task: 't1', number: 0, position: START, fence: 0, gaps: [], at });
  const { line } = encodeFrame(1, head.sum, { at, f: 0, s: 0, h: START.hash, ...meta }, texts);
  writeFileSync(join(root, 'tasks/t1/journal.log'), Buffer.concat([head.line, line]));
  writeFileSync(join(root, 'tasks/t1/views.index'), '');
  return root;
}

async function useTask(root: string): Promise<void> {
  const store = await openJsonStorage({ root });
  try {
    const { fence, release } = await store.claim('t1');
    await store.commit({
      task: 't1',
      fence,
      records: [{ category: 'tasks', key: 't1/more', data: 1 }],
    });
    await release();
  } finally {
    await store.close();
  }
}

const NAMES: readonly [string, NonNullable<FrameMeta['r']>][] = [
  ['a category that leads out', [['../../out', 'x', 1]]],
  ['a category that leads out, of something to be removed', [['../../out', 'x', 0]]],
  ['a key that leads out', [['tasks', 't1/../../../out', 1]]],
  ['a place of the store’s own', [['locks', 'x', 1]]],
  ['a record of another task', [['tasks', 't2/state', 1]]],
  ['a record outside tasks', [['config', 'x', 1]]],
];

test.each(NAMES)('a log with %s is refused, and nothing outside is touched', async (_, r) => {
  const root = await storeWith({ r }, r[0]![2] === 1 ? ['{"evil":1}'] : []);
  const outside = join(root, '../../out');
  const other = readFileSync(join(root, 'tasks/t2/state.json'), 'utf8');
  await expect(useTask(root)).rejects.toMatchObject({ code: 'CORRUPT' });
  expect(existsSync(outside)).toBe(false);
  expect(readdirSync(join(root, '..'))).toEqual(['.vibe-engine']);
  expect(readFileSync(join(root, 'tasks/t2/state.json'), 'utf8')).toBe(other);
  expect(existsSync(join(root, 'config'))).toBe(false);
});

test.each([['{"a":'], ['['.repeat(100_000) + ']'.repeat(100_000)]])(
  'a record that is not a value fails when it is loaded, and does not affect the others (%#)',
  async (text) => {
    const r: FrameMeta['r'] = [
      ['tasks', 't1/odd', 1],
      ['tasks', 't1/state', 1],
    ];
    const root = await storeWith({ r }, [text, '{"of":"t1"}']);
    await useTask(root);
    const store = await openJsonStorage({ root });
    expect(await store.load('tasks', 't1/state')).toEqual({ of: 't1' });
    expect(await store.load('tasks', 't1/more')).toBe(1);
    await expect(store.load('tasks', 't1/odd')).rejects.toMatchObject({ code: 'CORRUPT' });
    await store.close();
  },
);

test('what stands in a log’s first line is no record', async () => {
  const root = await storeWith({}, []);
  const identity = JSON.stringify({ log: 'vibe-engine', version: 1, id: ID, task: 't1' });
  const meta: FrameMeta = { at, f: 0, s: 0, h: START.hash, r: [['tasks', 't1/state', 1]] };
  writeFileSync(join(root, 'tasks/t1/journal.log'), encodeFrame(0, NO_SUM, meta, [identity]).line);
  await expect(useTask(root)).rejects.toMatchObject({ code: 'CORRUPT' });
});

test.each([['t2/state'], ['t1/../t2/state'], ['t1/\u0000']])(
  'an index that names %j is refused',
  async (key) => {
    const root = await storeWith({ r: [['tasks', 't1/state', 1]] }, ['{"of":"t1"}']);
    const index = encodeIndex({ log: ID, start: 0, end: 0, previous: NO_SUM, records: { [key]: 1 } });
    writeFileSync(join(root, 'tasks/t1/views.index'), index);
    await expect(useTask(root)).rejects.toMatchObject({ code: 'CORRUPT' });
  },
);

test('an index that begins behind the end of the log is not believed', async () => {
  const root = await storeWith({ r: [['tasks', 't1/state', 1]] }, ['{"of":"t1"}']);
  const log = join(root, 'tasks/t1/journal.log');
  const { size } = statSync(log);
  const index = { log: ID, start: 2 ** 32, end: size, previous: NO_SUM, records: { 't1/state': 1 } };
  writeFileSync(join(root, 'tasks/t1/views.index'), encodeIndex(index));
  await useTask(root);
  expect(statSync(log).size).toBeLessThan(size + 100_000);
  const store = await openJsonStorage({ root });
  expect(await store.load('tasks', 't1/state')).toEqual({ of: 't1' });
  await store.close();
});

test('the same log with its own names is used', async () => {
  const root = await storeWith({ r: [['tasks', 't1/state', 1]] }, ['{"of":"t1"}']);
  await useTask(root);
  const store = await openJsonStorage({ root });
  expect(await store.load('tasks', 't1/state')).toEqual({ of: 't1' });
  await store.close();
});
