/** What one task did to files is brought to where another works, merged with what is there. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { TaskContext } from '../../src/engine/api/context.ts';
import { defineTask } from '../../src/engine/api/definition.ts';
import { emptyExamination, examineStore } from '../../src/engine/doctor/doctor.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { exportTask, importTask } from '../../src/engine/portable/portable.ts';
import { liveEntries } from '../../src/engine/task/journal.ts';
import { loadHead } from '../../src/engine/task/records/head.ts';
import { tempDirs } from '../support/temp.ts';
import { untilStatus } from './letters.ts';
import { onEachStore, type Store } from './stores.ts';
import { errorOf, type Ground, groundIn } from './undo-ground.ts';

const tempDir = tempDirs();

type Edit = readonly [path: string, from: string, to: string | null];

/** Asks what to do, does it, and asks again. */
const obeys = defineTask(
  'obeys',
  async (task: TaskContext) => {
    for (;;) {
      const edits = (await task.waitFor('user_input', { prompt: 'what?' })) as
        | readonly Edit[]
        | 'end'
        | 'fail';
      if (edits === 'end') return;
      if (edits === 'fail') throw new Error('as asked');
      for (const [path, from, to] of edits)
        if (to === null) await task.shell(`rm '${path}'`);
        else if (from === '') await task.files.write(path, to);
        else await task.files.edit(path, (text) => text.replace(from, to));
    }
  },
  { version: '1' },
);

const LINES = `${Array.from({ length: 20 }, (_, n) => `line ${n + 1}`).join('\n')}\n`;

interface Forks {
  readonly engine: Engine;
  /** Two forks, and where each works. */
  readonly a: string;
  readonly b: string;
  readonly here: Ground;
  readonly there: Ground;
}

async function tell(engine: Engine, id: string, what: readonly Edit[] | 'end' | 'fail'): Promise<void> {
  const { outcome } = await engine.resume(id);
  await untilStatus(engine, id, 'waiting');
  const [asked] = await engine.waits(id);
  await engine.answer(id, what as never);
  if (typeof what === 'string') return void (await outcome.catch(() => {}));
  const asksAgain = async () => (await engine.waits(id)).some((one) => one.id !== asked!.id);
  await expect.poll(asksAgain, { timeout: 60_000 }).toBe(true);
  await engine.pause(id);
  await outcome;
}

async function forked(store: Store): Promise<Forks> {
  const files = { 'a.txt': LINES, 'gone.txt': 'gone\n', 'both.txt': 'both\n', 'mine.txt': 'mine\n' };
  const here = groundIn(store.dir, files);
  const engine = await store.open({ workspace: true, tasks: [obeys] });
  const { id: root, outcome } = await engine.start(obeys, undefined);
  await untilStatus(engine, root, 'waiting');
  await engine.pause(root);
  await outcome;
  const { id: checkpoint } = (await engine.checkpoints.listCheckpoints(root)).at(-1)!;
  const elsewhere = join(tempDir(), 'b');
  mkdirSync(elsewhere);
  const { id: a } = await engine.fork(checkpoint);
  const { id: b } = await engine.fork(checkpoint, { working_dir: elsewhere });
  return { engine, a, b, here, there: groundIn(elsewhere, {}) };
}

const OF_B: readonly Edit[] = [
  ['a.txt', 'line 2\n', 'line 2 of b\n'],
  ['new/new.txt', '', 'new\n'],
  ['gone.txt', '', null],
];

async function entriesOf(engine: Engine, task: string) {
  const head = (await loadHead(engine.storage, task))!;
  const found = [];
  for await (const one of liveEntries(engine.storage, head)) if (one.task === task) found.push(one.entry);
  return found;
}

onEachStore((fresh) => {
  test("a fork's changes are merged with those of the other fork and of people, and can be taken back alone", async () => {
    const { engine, a, b, here, there } = await forked(await fresh());
    await tell(engine, a, [['a.txt', 'line 10\n', 'line 10 of a\n']]);
    await tell(engine, b, OF_B);
    there.write('theirs.txt', 'a person, where b works\n');
    here.write('a.txt', here.read('a.txt')!.replace('line 18', 'line 18 of a person'));
    here.write('mine.txt', 'a person\n');
    const before = here.read('a.txt')!;

    const preview = await engine.previewTake(b, a, { details: true });
    expect(preview.files).toEqual(['a.txt', 'gone.txt', 'new/new.txt']);
    expect(preview.plan!.find(({ path }) => path === 'a.txt')).toMatchObject({
      merges: true,
      choice: 'merge',
    });
    expect(here.read('a.txt')).toBe(before);

    const taken = await engine.take(b, a, {
      by: 'me',
      expect: preview.expect,
      expect_from: preview.expect_from,
    });
    expect(taken).toMatchObject({ task: a, from: b, done: true, files: preview.files });
    const merged = before.replace('line 2\n', 'line 2 of b\n');
    const all = () => ['a.txt', 'gone.txt', 'new/new.txt', 'mine.txt', 'theirs.txt'].map(here.read);
    const after = [merged, null, 'new\n', 'a person\n', null];
    expect(all()).toEqual(after);
    expect(preview.plan!.find(({ path }) => path === 'a.txt')!.after).toBe(merged);
    expect((await entriesOf(engine, a)).at(-1)).toMatchObject({ t: 'take', from: b, by: 'me' });
    const { same, only_b, differ, a: told } = await engine.reader.compare(a, b);
    expect([same, only_b, differ.map(({ path }) => path)]).toEqual([
      ['gone.txt', 'new/new.txt'],
      [],
      ['a.txt'],
    ]);
    expect(told.files).toBe(3);

    // Nothing is left to take, and nobody asks about files that the task itself has now changed.
    expect(await errorOf(engine.take(b, a))).toMatchObject({ code: 'NOTHING_TO_TAKE' });
    const { plan } = await engine.previewRollback(taken.checkpoint!, { only: 'files', details: true });
    const gone = plan!.find(({ path }) => path === 'a.txt')!.own!;
    expect(gone.map(({ by }) => by)).toEqual([`task:${b}`]);
    const back = await engine.rollback(taken.checkpoint!, { only: 'files' });
    expect(back.files).toEqual(['a.txt', 'gone.txt', 'new/new.txt']);
    expect(all()).toEqual([before, 'gone\n', null, 'a person\n', null]);
    await engine.redo(a);
    expect(all()).toEqual(after);
    await engine.undo(a, { on_modified: 'merge' });
    const personal = LINES.replace('line 18', 'line 18 of a person');
    expect(all()).toEqual([personal, 'gone\n', null, 'a person\n', null]);
    await engine.redo(a);
    expect(all()).toEqual(after);
    // The task goes on from there, and is not asked about files that it knows.
    await tell(engine, a, [['new/new.txt', 'new', 'newer']]);
    expect(here.read('new/new.txt')).toBe('newer\n');
    expect(there.read('new/new.txt')).toBe('new\n');
  });

  test('lines that both changed are asked about: nothing is done until each place is decided', async () => {
    const { engine, a, b, here } = await forked(await fresh());
    await tell(engine, a, [
      ['a.txt', 'line 3\n', 'line 3 of a\n'],
      ['a.txt', 'line 15\n', 'line 15 of a\n'],
    ]);
    await tell(engine, b, [
      ['a.txt', 'line 3\n', 'line 3 of b\n'],
      ['a.txt', 'line 9\n', 'line 9 of b\n'],
      ['a.txt', 'line 15\n', 'line 15 of b\n'],
      ['new/new.txt', '', 'new\n'],
    ]);
    const before = here.read('a.txt')!;
    const position = await engine.storage.position(a);
    const { plan } = await engine.previewTake(b, a, { details: true });
    expect(plan!.find(({ path }) => path === 'a.txt')).toMatchObject({ outcome: 'conflict', merges: false });
    const error = await errorOf(engine.take(b, a));
    expect(error).toMatchObject({ code: 'RESTORE_UNANSWERED', data: { files: ['a.txt'], from: b } });
    expect(error.hint).toContain('--hunk a.txt:1=yours, taken or both');
    await expect(engine.take(b, a, { hunks: { 'a.txt': new Map([[1, 'ours']]) } })).rejects.toThrow('a.txt');
    expect([here.read('a.txt'), here.read('new/new.txt')]).toEqual([before, null]);
    expect(await engine.storage.position(a)).toEqual(position);

    const kept = await engine.take(b, a, { files: { 'a.txt': 'use_current' } });
    expect(kept).toMatchObject({ done: true, files: ['new/new.txt'] });
    expect(here.read('a.txt')).toBe(before);
    const hunks = { 'a.txt': new Map([[1, 'ours'] as const, [2, 'theirs'] as const]) };
    await engine.take(b, a, { hunks });
    const decided = before.replace('line 3 of a', 'line 3 of b').replace('line 9\n', 'line 9 of b\n');
    expect(here.read('a.txt')).toBe(decided);
    await engine.rollback((await engine.checkpoints.listCheckpoints(a)).at(-1)!.id, { only: 'files' });
    expect(here.read('a.txt')).toBe(before);
    const asked: string[] = [];
    const ask = async ({ message }: { readonly message: string }) => {
      asked.push(message);
      return 'use_checkpoint';
    };
    await engine.take(b, a, { prompter: { ask } as never });
    expect(here.read('a.txt')).toBe(LINES.replace(/line (3|9|15)\n/g, 'line $1 of b\n'));
    expect(asked).toEqual([
      `What task ${b} did to a.txt does not fit what is here. Which version should be kept?`,
    ]);
  });

  test('a task in any status gets them, unless it runs; what is not there is said', async () => {
    const { engine, a, b, here } = await forked(await fresh());
    expect(await errorOf(engine.take(b, a))).toMatchObject({ code: 'NOTHING_TO_TAKE' });
    expect(await errorOf(engine.take(a, a))).toMatchObject({ code: 'USAGE' });
    await tell(engine, b, OF_B);
    // A fork of the other way of the same directory: it is there.
    const { id: checkpoint } = (await engine.checkpoints.listCheckpoints(b)).at(-1)!;
    const { id: same } = await engine.fork(checkpoint);
    expect(await errorOf(engine.take(b, same))).toMatchObject({ code: 'NOTHING_TO_TAKE' });
    await engine.resume(a);
    await untilStatus(engine, a, 'waiting');
    expect(await errorOf(engine.take(b, a))).toMatchObject({
      code: 'TASK_OWNED',
      message: `Task ${a} is running: nothing can be taken into it yet.`,
    });
    await engine.pause(a);
    await expect.poll(async () => (await engine.state(a))?.status).toBe('paused');
    await expect.poll(() => engine.storage.owner(a)).toBeNull();
    const { checkpoint: first } = await engine.take(b, a);
    expect(here.read('gone.txt')).toBeNull();
    await engine.rollback(first!, { only: 'files' });
    for (const end of ['end', 'fail'] as const) {
      const { id } = await engine.fork(first!);
      await tell(engine, id, end);
      const status = end === 'end' ? 'completed' : 'failed';
      expect((await engine.state(id))?.status).toBe(status);
      const taken = await engine.take(b, id);
      expect(taken.files).toEqual(['a.txt', 'gone.txt', 'new/new.txt']);
      expect((await engine.state(id))?.status).toBe(status);
      await engine.rollback(taken.checkpoint!, { only: 'files' });
      expect([here.read('gone.txt'), here.read('new/new.txt'), here.read('a.txt')]).toEqual([
        'gone\n',
        null,
        LINES,
      ]);
      await engine.redo(id);
      expect(here.read('new/new.txt')).toBe('new\n');
      await engine.undo(id);
      expect(here.read('a.txt')).toBe(LINES);
    }
    await engine.cancel(a);
    expect(await engine.take(b, a)).toMatchObject({ done: true });
    expect(here.read('new/new.txt')).toBe('new\n');
  });

  test('what was not previewed is not done, and what the preview says is what happens', async () => {
    const { engine, a, b, here } = await forked(await fresh());
    await tell(engine, b, OF_B);
    const { expect: position, expect_from, plan } = await engine.previewTake(b, a, { details: true });
    await tell(engine, b, [['both.txt', 'both', 'both of b']]);
    expect(await errorOf(engine.take(b, a, { expect: position, expect_from }))).toMatchObject({
      code: 'STALE_WRITE',
    });
    await tell(engine, a, [['both.txt', 'both', 'a and b']]);
    expect(await errorOf(engine.take(b, a, { expect: position }))).toMatchObject({ code: 'STALE_WRITE' });
    expect(here.read('new/new.txt')).toBeNull();
    await engine.take(b, a, { files: { 'both.txt': 'use_current' } });
    for (const { path, after } of plan!) expect(here.read(path)).toBe(after);
  });

  test('clean-up, doctor, export and import know what was taken', async () => {
    const store = await fresh();
    const { engine, a, b, here } = await forked(store);
    await tell(engine, b, OF_B);
    const { checkpoint } = await engine.take(b, a);
    await engine.cancel(b);
    await engine.storage.removeTask(b);
    await store.ageBlobs(1000);
    await engine.clean();
    const problems = [];
    for await (const found of examineStore(engine, emptyExamination())) problems.push(found.message);
    expect(problems).toEqual([]);
    const file = join(tempDir(), 'a.vibe');
    await exportTask(engine, a, file);
    await engine.rollback(checkpoint!, { only: 'files' });
    expect([here.read('a.txt'), here.read('gone.txt')]).toEqual([LINES, 'gone\n']);
    await engine.redo(a);
    expect([here.read('new/new.txt'), here.read('gone.txt')]).toEqual(['new\n', null]);
    const other = await fresh();
    const ground = groundIn(other.dir, { 'a.txt': here.read('a.txt')!, 'new/new.txt': 'new\n' });
    const imported = await other.open({ workspace: true, tasks: [obeys] });
    await importTask(imported, file);
    await imported.undo(a);
    expect([ground.read('a.txt'), ground.read('gone.txt'), ground.read('new/new.txt')]).toEqual([
      LINES,
      'gone\n',
      null,
    ]);
  });
});
