/** What a task has on the store is listed once: a kind of record that is added there is honoured by all who walk over tasks. */
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { packValue } from '../../src/checkpoint/values/pack.ts';
import { defineTask } from '../../src/engine/api/definition.ts';
import { examineStore } from '../../src/engine/doctor/doctor.ts';
import { type Engine, openEngine } from '../../src/engine/engine.ts';
import { copyStorage } from '../../src/engine/moving/copy.ts';
import { exportTask, importTask } from '../../src/engine/portable/portable.ts';
import { LAYOUT } from '../../src/engine/task/layout.ts';
import { keyOf, type RecordKind } from '../../src/engine/task/records/kind.ts';
import { CorruptError } from '../../src/errors.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { openJsonStorage } from '../../src/storage/json/open.ts';
import { sourcesIn } from '../house/sources.ts';
import { manualClock } from '../support/manual-clock.ts';
import { tempDirs } from '../support/temp.ts';
import { collect } from './stores.ts';

const tempDir = tempDirs();
const DAY = 24 * 3_600_000;
const quick = defineTask('quick', (task) => task.step('one', () => 1));
const config = { persistence: { storage_type: 'json' }, cleanup: { grace_hours: 1 } };

const NOTES: RecordKind = {
  category: 'tasks',
  key: '{task}/notes/*',
  travels: 'always',
  keeps: 'all',
  check(stored, task) {
    if ((stored as { text?: unknown }).text === undefined)
      throw new CorruptError(`no notes of ${task}`, { data: {}, hint: 'none' });
  },
  settle: async (stored, { moved }) => ({
    ...(stored as object),
    dir: moved((stored as { dir: string }).dir),
  }),
};
const DRAFT: RecordKind = { category: 'tasks', key: '{task}/draft', travels: 'unfinished', keeps: 'nothing' };
const LOCAL: RecordKind = { category: 'tasks', key: '{task}/local', travels: 'here', keeps: 'nothing' };
const LETTER: RecordKind = {
  category: 'letters',
  key: '{task}/*',
  travels: 'always',
  keeps: 'nothing',
  needed: 'until_final',
};

afterEach(() => list().splice(SIZE));

test('doctor checks records of an added kind, and all that they name', async () => {
  const { engine, id } = await ended();
  const key = keyOf(NOTES, id, 'a');
  const snapshot = `snapshot/${'0'.repeat(64)}`;
  await save(engine.storage, key, { text: packed('missing').stored, dir: '', snapshot });
  list().push(NOTES);
  const found = await collect(examineStore(engine));
  expect(found.map(({ code, where }) => [code, where])).toEqual([
    ['CONTENT_MISSING', `tasks/${key}`],
    ['CONTENT_MISSING', snapshot],
  ]);
  await save(engine.storage, key, {});
  expect(await collect(examineStore(engine))).toMatchObject([{ code: 'CORRUPT', where: `tasks/${key}` }]);
  await engine.close();
});

test('clean-up keeps what they name, and frees those that are no longer needed', async () => {
  const { engine, id, clock } = await ended();
  const [one, two] = [packed('kept'), packed('loose')];
  const [kept, loose] = await engine.storage.putBlobs(id, [one.blob, two.blob]);
  list().push(NOTES, LETTER);
  await save(engine.storage, keyOf(NOTES, id, 'a'), { text: one.stored, dir: '' });
  await engine.storage.save(LETTER.category, keyOf(LETTER, id, 'a'), two.stored);
  clock.advance(DAY);
  await engine.clean();
  const blobs = (await collect(engine.storage.listBlobs(id))).map((blob) => blob.id);
  expect([blobs.includes(kept!), blobs.includes(loose!)]).toEqual([true, false]);
  expect(await engine.storage.list(LETTER.category)).toEqual([]);
  await engine.close();
});

test('export and import take along what travels, and nothing else', async () => {
  const { engine, id, dir } = await ended();
  list().push(NOTES, DRAFT, LOCAL, LETTER);
  const [notes, letter] = [keyOf(NOTES, id, 'a'), keyOf(LETTER, id, 'a')];
  await save(engine.storage, notes, { text: 'x', dir: join(dir, 'sub') });
  await save(engine.storage, keyOf(LOCAL, id), { here: true });
  await save(engine.storage, keyOf(DRAFT, id), { begun: true });
  await engine.storage.save(LETTER.category, letter, { text: 'hello' });
  const file = join(tempDir(), 'it.vibe-task');
  await expect(exportTask(engine, id, file)).rejects.toMatchObject({ code: 'NOT_RESUMABLE' });
  await engine.storage.commit({
    task: id,
    records: [{ category: 'tasks', key: keyOf(DRAFT, id), remove: true }],
  });
  await exportTask(engine, id, file);

  const there = await open();
  await importTask(there.engine, file);
  expect(await there.engine.storage.load('tasks', notes)).toEqual({ text: 'x', dir: join(there.dir, 'sub') });
  expect(await there.engine.storage.load('tasks', keyOf(LOCAL, id))).toBeNull();
  expect(await there.engine.storage.load(LETTER.category, letter)).toEqual({ text: 'hello' });
  list().splice(SIZE);
  const ignorant = await open();
  await expect(importTask(ignorant.engine, file)).rejects.toMatchObject({ code: 'CORRUPT' });
  for (const one of [engine, there.engine, ignorant.engine]) await one.close();
});

test('migration takes along all of them, settled', async () => {
  const { engine, id } = await ended();
  const settled: string[] = [];
  const COUNTED: RecordKind = {
    ...NOTES,
    settle(stored, place) {
      settled.push(id);
      return NOTES.settle!(stored, place);
    },
  };
  list().push(COUNTED, LETTER);
  await save(engine.storage, keyOf(NOTES, id, 'a'), { text: 'x', dir: 'y' });
  await engine.storage.save(LETTER.category, keyOf(LETTER, id, 'a'), { text: 'hello' });
  const to = await openJsonStorage({ root: join(tempDir(), 'store') });
  await copyStorage(engine.storage, to);
  expect(await to.load('tasks', keyOf(NOTES, id, 'a'))).toEqual({ text: 'x', dir: 'y' });
  expect(await to.load(LETTER.category, keyOf(LETTER, id, 'a'))).toEqual({ text: 'hello' });
  expect(settled).not.toEqual([]);
  await to.close();
  await engine.close();
});

test('no source but those of the records spells a key of its own', () => {
  const names = LAYOUT.filter(({ category }) => category === 'tasks').map(({ key }) => key.split('/')[1]);
  const spelled = new RegExp(`\\}/(?:${names.join('|')})\\b`);
  const found = sourcesIn('src')
    .filter(({ code }) => spelled.test(code))
    .map(({ path }) => path);
  const spelling = ['src/engine/task/records/', 'src/task/keys.ts'];
  expect(found.filter((path) => !spelling.some((start) => path.startsWith(start)))).toEqual([]);
  expect(found).toContain('src/task/keys.ts');
});

const SIZE = LAYOUT.length;

function packed(value: string) {
  const limits = { blob_over_kb: 0, compress_over_kb: 1, compression: 'gzip' } as const;
  return packValue(value, 'notes', limits) as Required<ReturnType<typeof packValue>>;
}

function list(): RecordKind[] {
  return LAYOUT as RecordKind[];
}

async function open(
  clock = manualClock(new Date()),
  dir = tempDir(),
): Promise<{ engine: Engine; dir: string }> {
  const quiet = { signals: false, automatic_cleanup: false, auto_save: false };
  return { engine: await openEngine({ project_dir: dir, config, clock, ...quiet }), dir };
}

/** An engine, and a task that is over; its copies for readers are written, too. */
async function ended() {
  const clock = manualClock(new Date());
  const dir = tempDir();
  const first = await open(clock, dir);
  const { id, result } = await first.engine.start(quick, undefined);
  await result;
  await first.engine.close();
  return { ...(await open(clock, dir)), id, clock };
}

async function save(storage: Storage, key: string, data: unknown): Promise<void> {
  await storage.commit({ task: key.split('/')[0]!, records: [{ category: 'tasks', key, data }] });
}
