/** A store that is checked whole: nothing is found where nothing is wrong, everything that is, and only safe things mended. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { CheckpointRecord } from '../../src/checkpoint/record/record.ts';
import { defineTask } from '../../src/engine/api/definition.ts';
import {
  emptyExamination,
  examineStore,
  mendStore,
  type StoreFinding,
} from '../../src/engine/doctor/doctor.ts';
import { type Engine, openEngine } from '../../src/engine/engine.ts';
import { populate } from '../cli/world.ts';
import { tempDirs } from '../support/temp.ts';
import { edit, editOn, editor, newRepository } from './file-world.ts';
import { untilStatus } from './letters.ts';
import { collect, everythingIn, onEachStore } from './stores.ts';

const large = defineTask('large', async (task) => {
  await task.step('one', () => 'x'.repeat(100_000));
  await task.step('two', () => ({ nested: 'y'.repeat(50_000) }));
  return task.waitFor('user_input');
});
const tempDir = tempDirs();
const TASKS = { tasks: [large, editor], workspace: true };

const problemsOf = (engine: Engine): Promise<StoreFinding[]> => collect(examineStore(engine));

test('goes on past records that cannot be read', async () => {
  const dir = tempDir();
  const config = { persistence: { storage_type: 'sqlite' } };
  const quiet = { signals: false, automatic_cleanup: false };
  const open = () => openEngine({ project_dir: dir, config, ...quiet, tasks: [large] });
  const engine = await open();
  const { id, outcome } = await engine.start(large, undefined);
  await untilStatus(engine, id, 'waiting');
  await engine.pause(id);
  await outcome;
  await engine.fork((await engine.checkpoints.listCheckpoints(id))[1]!.id);
  await engine.enqueue(large, undefined);
  await engine.storage.save('displaced', 'x', { blob: 'file/1' });
  await engine.close();
  const db = new DatabaseSync(join(dir, '.vibe-engine', 'persistence.db'));
  const categories = ['forks', 'queue', 'displaced', 'history'];
  const { changes } = db
    .prepare(`UPDATE persistence SET data = '"damaged"' WHERE category IN (?, ?, ?, ?)`)
    .run(...categories);
  db.close();
  const again = await open();
  const found = await problemsOf(again);
  expect(found.filter(({ where }) => where.startsWith('persistence row'))).toHaveLength(Number(changes));
  expect(found.length).toBeGreaterThanOrEqual(4);
  expect(await mendStore(again.storage, found)).toEqual([]);
  await again.close();
});

onEachStore((fresh) => {
  /** A task that was paused, with large values. */
  const paused = async (engine: Engine): Promise<string> => {
    const { id, outcome } = await engine.start(large, undefined);
    await untilStatus(engine, id, 'waiting');
    await engine.pause(id);
    await outcome;
    return id;
  };

  test('finds nothing wrong with tasks that ran, stopped, went back, forked and were cleaned', async () => {
    const store = await fresh();
    newRepository(store.dir, { 'a.txt': '0\n', 'b.txt': 'b\n' });
    await populate(store);
    const engine = await store.open({ ...TASKS, config: { cleanup: { grace_hours: 0 } } });
    await paused(engine);
    const changes = [1, 2, 3].map((n) => ['a.txt', `${n}\n`] as const);
    const id = await edit(engine, { dir: store.dir, changes, end: 'pause' });
    const checkpoints = await engine.checkpoints.listCheckpoints(id);
    await engine.rollback(checkpoints[2]!.id);
    await engine.fork(checkpoints[1]!.id);
    expect(await problemsOf(engine)).toEqual([]);
    await editOn(engine, id, 'pause');
    await engine.answer(id, 'go on');
    await (await engine.resume(id)).result;
    await engine.clean({ policy: { remove_completed: true } });
    await engine.clean();
    const seen = emptyExamination();
    const before = await everythingIn(engine.storage);
    expect(await collect(examineStore(engine, seen))).toEqual([]);
    expect(await everythingIn(engine.storage)).toEqual(before);
    expect(seen.tasks).toBe(9);
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0);
  });

  test('finds a damaged entry, and lets the task go on from before it', async () => {
    const store = await fresh();
    const first = await store.open(TASKS);
    const id = await paused(first);
    await first.close();
    await store.damageEntry(id, 4);
    const engine = await store.open(TASKS);
    const found = await problemsOf(engine);
    expect(found).toMatchObject([{ code: 'CORRUPT', task: id, mend: 'journal' }]);
    const [mended] = await mendStore(engine.storage, found);
    expect(mended).toMatchObject({ task: id, mend: 'journal', aside: expect.stringMatching(/\S/) });
    const rest = await problemsOf(engine);
    expect(rest.map(({ mend }) => mend)).toEqual(rest.map(() => 'checkpoint'));
    await mendStore(engine.storage, rest);
    expect(await problemsOf(engine)).toEqual([]);
    const run = await engine.resume(id);
    await untilStatus(engine, id, 'waiting');
    await engine.answer(id, 'done');
    expect(await run.result).toBe('done');
  });

  test('finds missing blobs and contents of files', async () => {
    const store = await fresh();
    newRepository(store.dir, { 'a.txt': '0\n' });
    const engine = await store.open(TASKS);
    const { storage } = engine;
    const id = await paused(engine);
    const edits = await edit(engine, { dir: store.dir, changes: [['a.txt', 'mine\n']], end: 'pause' });
    const [blob] = await collect(storage.listBlobs(id));
    await storage.deleteBlobs(id, [blob!.id]);
    const shared = await collect(storage.listBlobs(null));
    const content = shared.find(({ id: of }) => of.startsWith('file/'))!.id;
    await storage.deleteBlobs(null, [content]);
    expect(await problemsOf(engine)).toMatchObject([
      { code: 'CONTENT_MISSING', task: id, message: expect.stringContaining(blob!.id), mend: null },
      { code: 'CONTENT_MISSING', where: content, mend: null },
    ]);
    const { snapshot } = (await engine.checkpoints.listCheckpoints(edits)).at(-1)!;
    await storage.deleteBlobs(null, [snapshot!]);
    expect(await problemsOf(engine)).toContainEqual(
      expect.objectContaining({ code: 'CONTENT_MISSING', where: snapshot, task: edits }),
    );
  });

  test('finds checkpoints that are not whole or stand nowhere, and puts them aside', async () => {
    const engine = await (await fresh()).open(TASKS);
    const { storage } = engine;
    const id = await paused(engine);
    const keys = (await storage.list('tasks')).filter((key) => key.startsWith(`${id}/checkpoints/`));
    const listed = await engine.checkpoints.listCheckpoints(id);
    const record = (await storage.load('tasks', keys[0]!)) as CheckpointRecord;
    await storage.commit({
      task: id,
      records: [{ category: 'tasks', key: keys[0]!, data: { ...record, step_name: 'another' } }],
    });
    const found = await problemsOf(engine);
    expect(found).toMatchObject([{ task: id, where: `tasks/${keys[0]}`, mend: 'checkpoint' }]);
    const [mended] = await mendStore(storage, found);
    const [category, ...key] = mended!.aside!.split('/');
    expect(await storage.load(category!, key.join('/'))).toMatchObject({ data: { step_name: 'another' } });
    expect(await problemsOf(engine)).toEqual([]);
    // The record was a copy: the journal has the checkpoint.
    expect(await engine.checkpoints.listCheckpoints(id)).toEqual(listed);
  });

  test('finds notes that are missing, and writes them', async () => {
    const store = await fresh();
    const engine = await store.open(TASKS);
    const { storage } = engine;
    const id = await paused(engine);
    const fork = await engine.fork((await engine.checkpoints.listCheckpoints(id))[1]!.id);
    const queued = await engine.enqueue(large, undefined);
    const before = await everythingIn(storage);
    await storage.delete('forks', `${id}/${fork.id}`);
    for (const key of await storage.list('queue')) await storage.delete('queue', key);
    const found = await problemsOf(engine);
    expect(new Set(found.map(({ mend, task }) => `${mend} ${task}`))).toEqual(
      new Set([`fork ${fork.id}`, `queue ${queued}`]),
    );
    expect(await mendStore(storage, found)).toHaveLength(2);
    expect(await problemsOf(engine)).toEqual([]);
    const keys = ({ records }: { records: object }) => Object.keys(records);
    expect(keys((await everythingIn(storage)) as never)).toEqual(keys(before as never));
  });

  test('finds what is no state, no head and no entry', async () => {
    const engine = await (await fresh()).open(TASKS);
    const { storage } = engine;
    const id = await paused(engine);
    const state = (await storage.load('tasks', `${id}/state`)) as object;
    await storage.commit({
      task: id,
      records: [{ category: 'tasks', key: `${id}/state`, data: { ...state, task_name: 'another' } }],
      append: { after: await storage.position(id), entries: [{ t: 'odd' }] },
    });
    expect((await problemsOf(engine)).map(({ where, mend }) => [where, mend])).toEqual([
      [`tasks/${id}/state`, 'state'],
      [expect.stringMatching(/^journal of .* entry \d+$/), null],
    ]);
    await storage.commit({ task: id, records: [{ category: 'tasks', key: `${id}/head`, data: {} }] });
    expect((await problemsOf(engine)).map(({ where }) => where)).toContain(`tasks/${id}/head`);
  });

  test('mends nothing of a task that somebody runs', async () => {
    const engine = await (await fresh()).open(TASKS);
    const { id } = await engine.start(large, undefined);
    await untilStatus(engine, id, 'waiting');
    expect(await problemsOf(engine)).toEqual([]);
    const finding = {
      code: 'CORRUPT',
      message: '',
      task: id,
      where: `tasks/${id}/x`,
      mend: 'checkpoint',
    } as const;
    expect(await mendStore(engine.storage, [finding])).toEqual([]);
  });
});
