/** Undo: a task's own changes to files are taken back and brought forward again, whatever became of the task. */
import { hash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { TaskContext } from '../../src/engine/api/context.ts';
import { defineTask } from '../../src/engine/api/definition.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { canRedo } from '../../src/engine/recovery/redo.ts';
import { requireTask } from '../../src/engine/task/tasks.ts';
import { userHere } from '../../src/system/user/user.ts';
import { checkpointsOf, untilStatus } from './letters.ts';
import { benches } from './setup.ts';
import { onEachStore } from './stores.ts';
import { adding, errorOf, groundIn, ran } from './undo-ground.ts';

const bench = benches();
const quiet = { workspace: true, automatic_cleanup: false } as const;
const lines = (...all: string[]) => all.map((line) => `${line}\n`).join('');
const BEFORE = { 'a.txt': lines('one', 'two', 'three'), 'gone.txt': lines('gone') };

/** Changes a file, makes one and removes one. */
async function work(task: TaskContext): Promise<void> {
  await task.files.edit('a.txt', adding('by the task'));
  await task.shell('mkdir -p new && echo made > new/made.txt; rm gone.txt');
}

async function world(run: (task: TaskContext) => Promise<unknown> = work) {
  const at = bench();
  const ground = groundIn(at.dir, BEFORE);
  const engine = await at.open(quiet);
  const id = await ran(engine, run);
  return { ...at, ...ground, engine, id };
}

type World = Awaited<ReturnType<typeof world>>;

function all({ read }: Pick<World, 'read'>): Record<string, string | null> {
  return Object.fromEntries(['a.txt', 'gone.txt', 'new/made.txt'].map((path) => [path, read(path)]));
}
const BACK = { ...BEFORE, 'new/made.txt': null };
const FORWARD = {
  'a.txt': `${BEFORE['a.txt']}by the task\n`,
  'gone.txt': null,
  'new/made.txt': lines('made'),
};

onEachStore((fresh) => {
  test('a completed task: its work is taken back, brought forward, and taken back again', async () => {
    const store = await fresh();
    const ground = groundIn(store.dir, BEFORE);
    const engine = await store.open({ workspace: true });
    const id = await ran(engine, work);
    const before = await engine.state(id);
    for (const _ of [1, 2]) {
      expect(await engine.undo(id)).toMatchObject({
        task: id,
        done: true,
        files: ['a.txt', 'gone.txt', 'new/made.txt'],
      });
      expect(all(ground)).toEqual(BACK);
      expect(await engine.state(id)).toEqual(before);
      expect(await engine.redo(id)).toMatchObject({ checkpoint: null, files_only: true });
      expect(all(ground)).toEqual(FORWARD);
      expect((await engine.state(id))?.status).toBe('completed');
    }
  });
});

test('the preview says what would become of each file, and a dry run changes nothing', async () => {
  const { engine, id, ...at } = await world();
  const plan = (await engine.previewUndo(id)).plan!.map(({ path, action }) => `${action} ${path}`);
  expect(plan).toEqual(['put a.txt', 'put gone.txt', 'remove new/made.txt']);
  expect(await engine.undo(id, { dry_run: true })).toMatchObject({ done: false });
  expect(all(at)).toEqual(FORWARD);
  expect(await errorOf(engine.redo(id))).toMatchObject({ code: 'NOTHING_TO_REDO' });
});

test('the history says when and by whom, until it is redone', async () => {
  const { engine, id } = await world();
  await engine.undo(id, { by: 'ada' });
  expect((await engine.history(id)).files_undone).toMatchObject([{ by: 'ada', checkpoint: null }]);
  expect((await engine.history(id)).status).toBe('success');
  await engine.redo(id);
  expect((await engine.history(id)).files_undone).toEqual([]);
  await engine.undo(id);
  expect((await engine.history(id)).files_undone).toMatchObject([{ by: userHere() }]);
});

test.each(['failed', 'cancelled', 'paused'] as const)('a task that is %s', async (status) => {
  const at = bench();
  const ground = groundIn(at.dir, BEFORE);
  const engine = await at.open(quiet);
  const task = defineTask('work', async (context) => {
    await work(context);
    if (status === 'failed') throw new Error('no');
    await context.waitFor('user_input');
  });
  const { id, outcome } = await engine.start(task, undefined);
  if (status !== 'failed') {
    await untilStatus(engine, id, 'waiting');
    await (status === 'paused' ? engine.pause(id) : engine.cancel(id));
  }
  await outcome;
  await engine.undo(id);
  expect(all(ground)).toEqual(BACK);
  expect((await engine.state(id))?.status).toBe(status);
  await engine.redo(id);
  expect(all(ground)).toEqual(FORWARD);
  expect((await engine.state(id))?.status).toBe(status);
});

test('a task that runs is refused, and the hint says what to type', async () => {
  const at = bench();
  groundIn(at.dir, BEFORE);
  const engine = await at.open(quiet);
  const { id, outcome } = await engine.start(
    defineTask('work', async (task) => {
      await work(task);
      await task.waitFor('user_input');
    }),
    undefined,
  );
  await untilStatus(engine, id, 'waiting');
  const { code, hint } = await errorOf(engine.undo(id));
  expect(code).toBe('TASK_OWNED');
  expect(hint).toContain(`vibe-engine pause ${id}`);
  await engine.cancel(id);
  await outcome;
});

describe('others', () => {
  test('what a person did to the same file since is merged and stays, also when it is redone and undone again', async () => {
    const { engine, id, read, write } = await world();
    write('a.txt', `zero\n${read('a.txt')}`);
    write('theirs.txt', 'theirs\n');
    expect((await errorOf(engine.undo(id))).code).toBe('RESTORE_UNANSWERED');
    expect(read('a.txt')).toBe(lines('zero', 'one', 'two', 'three', 'by the task'));
    await engine.undo(id, { on_modified: 'merge' });
    expect(read('a.txt')).toBe(lines('zero', 'one', 'two', 'three'));
    expect(read('theirs.txt')).toBe('theirs\n');
    // Nothing is left to be undone, so nothing is asked.
    expect((await errorOf(engine.undo(id))).code).toBe('NOTHING_TO_UNDO');
    write('a.txt', `minus\n${read('a.txt')}`);
    await engine.redo(id, { on_modified: 'merge' });
    expect(read('a.txt')).toBe(lines('minus', 'zero', 'one', 'two', 'three', 'by the task'));
    await engine.undo(id, { on_modified: 'merge' });
    expect(read('a.txt')).toBe(lines('minus', 'zero', 'one', 'two', 'three'));
  });

  test('another task’s later change to the same file stays', async () => {
    const { engine, id, read } = await world();
    await ran(engine, (task) => task.files.edit('a.txt', (text) => `second\n${text}`));
    await engine.undo(id, { on_modified: 'merge' });
    expect(read('a.txt')).toBe(lines('second', 'one', 'two', 'three'));
  });
});

describe('nothing to undo', () => {
  test('where the task changed nothing, or changed it back', async () => {
    const { engine, id } = await world(async (task) => {
      await task.files.edit('a.txt', adding('x'));
      await task.files.edit('a.txt', (text) => text.replace('x\n', ''));
    });
    expect((await errorOf(engine.undo(id))).message).toContain('it changed no files');
    expect(await engine.previewUndo(id)).toMatchObject({ files: [] });
    expect((await errorOf(engine.redo(id))).code).toBe('NOTHING_TO_REDO');
  });

  test('where it was undone already; the hint says how to bring it back', async () => {
    const { engine, id } = await world();
    await engine.undo(id);
    const { code, hint } = await errorOf(engine.undo(id));
    expect(code).toBe('NOTHING_TO_UNDO');
    expect(hint).toContain(`redo ${id}`);
  });

  test('an ignored directory is named, also where a file in it was captured later', async () => {
    const { engine, id } = await world(async (task) => {
      await task.files.write('.gitignore', 'dist/\n');
      await task.shell('mkdir dist && ln -s ../outside dist/out.js');
      await task.files.write('dist/out.js', 'x').catch(() => {});
      await task.shell('echo x > other.txt');
    });
    const { plan } = await engine.previewUndo(id);
    expect(plan).toContainEqual(expect.objectContaining({ path: 'dist', why: 'not_captured' }));
  });

  test('where clean-up has taken what it needs', async () => {
    const { engine, id, ...at } = await world();
    await engine.clean({ policy: { remove_completed: true } });
    const { code, message } = await errorOf(engine.undo(id));
    expect(code).toBe('NOTHING_TO_UNDO');
    expect(message).toContain('clean-up');
    expect(all(at)).toEqual(FORWARD);
  });
});

describe('rollback of files alone', () => {
  const parts = async (task: TaskContext): Promise<void> => {
    for (const part of ['1', '2', '3']) {
      await task.files.edit('a.txt', adding(part));
      await task.checkpoint();
    }
  };
  /** The checkpoint after which the file has so many added lines. */
  async function madeAfter(engine: Engine, id: string, many: number): Promise<string> {
    const { checkpoints } = await engine.checkpoints.surveyCheckpoints(id);
    const made = checkpoints.filter(({ trigger }) => trigger === 'manual');
    return made.sort((a, b) => a.sequence_number - b.sequence_number)[many - 1]!.id;
  }
  const at = (many: number): string => BEFORE['a.txt'] + lines(...['1', '2', '3'].slice(0, many));

  test('a completed task goes back to any checkpoint, forth, and all the way', async () => {
    const { engine, id, read } = await world(parts);
    const [one, two] = [await madeAfter(engine, id, 1), await madeAfter(engine, id, 2)];
    await engine.rollback(two, { only: 'files' });
    expect(read('a.txt')).toBe(at(2));
    await engine.rollback(one, { only: 'files' });
    expect(read('a.txt')).toBe(at(1));
    // Forward again, by going back to a later checkpoint.
    await engine.rollback(two, { only: 'files' });
    expect(read('a.txt')).toBe(at(2));
    await engine.undo(id);
    expect(read('a.txt')).toBe(at(0));
    await engine.rollback(one, { only: 'files' });
    expect(read('a.txt')).toBe(at(1));
    expect((await engine.history(id)).files_undone).toHaveLength(5);
    for (const many of [0, 2, 1, 2, 3]) {
      await engine.redo(id);
      expect(read('a.txt')).toBe(at(many));
    }
    expect((await engine.state(id))?.status).toBe('completed');
  });

  test('without it, a final task is refused with what to type instead', async () => {
    const { engine, id } = await world(parts);
    const { code, hint } = await errorOf(engine.rollback(await madeAfter(engine, id, 1)));
    expect(code).toBe('NOT_RESUMABLE');
    expect(hint).toContain('Fork');
    expect(hint).toContain(`undo ${id}`);
    expect(hint).toContain('--only files');
  });

  test('a task that goes on after an undo keeps what it does then, and undo takes back just that', async () => {
    let asked = 0;
    const at = bench();
    const { read } = groundIn(at.dir, BEFORE);
    const task = defineTask('work', async (context) => {
      await context.files.edit('a.txt', adding('first'));
      if (asked++ === 0) await context.waitFor('user_input');
      await context.files.edit('a.txt', adding('second'));
    });
    const engine = await at.open({ ...quiet, tasks: [task] });
    const { id, outcome } = await engine.start(task, undefined);
    await untilStatus(engine, id, 'waiting');
    await engine.pause(id);
    await outcome;
    await engine.undo(id);
    await engine.answer(id, 'go on');
    await (await engine.resume(id)).outcome;
    expect(read('a.txt')).toBe(`${BEFORE['a.txt']}second\n`);
    await engine.undo(id);
    expect(read('a.txt')).toBe(BEFORE['a.txt']);
  });
});

test('a fork’s undo takes back what the fork did, not what it was forked from', async () => {
  const at = bench();
  const { read } = groundIn(at.dir, BEFORE);
  let fail = true;
  const task = defineTask('work', async (context) => {
    await context.files.edit('a.txt', adding('parent'));
    await context.step('ready', () => 1);
    if (!fail) await context.files.edit('a.txt', adding('fork'));
  });
  const engine = await at.open({ ...quiet, tasks: [task] });
  const { id, outcome } = await engine.start(task, undefined);
  await outcome;
  fail = false;
  const fork = await engine.fork((await checkpointsOf(engine, id)).at(-1)!, { start: true });
  await fork.run!.outcome;
  expect(read('a.txt')).toBe(`${BEFORE['a.txt']}parent\nfork\n`);
  await engine.undo(fork.id);
  expect(read('a.txt')).toBe(`${BEFORE['a.txt']}parent\n`);
  await engine.undo(id);
  expect(read('a.txt')).toBe(BEFORE['a.txt']);
  await engine.redo(id);
  await engine.redo(fork.id);
  expect(read('a.txt')).toBe(`${BEFORE['a.txt']}parent\nfork\n`);
});

describe('a workspace elsewhere', () => {
  test('files are put back there', async () => {
    const at = bench();
    const elsewhere = bench().dir;
    const here = groundIn(at.dir, BEFORE);
    const there = groundIn(elsewhere, BEFORE);
    const engine = await at.open(quiet);
    const id = await ran(engine, work, { working_dir: elsewhere });
    expect(all(there)).toEqual(FORWARD);
    await engine.undo(id);
    expect(all(there)).toEqual(BACK);
    expect(all(here)).toEqual(BACK);
    await engine.redo(id);
    expect(all(there)).toEqual(FORWARD);
  });

  test('a directory that is gone is said, and nothing changes', async () => {
    const at = bench();
    const elsewhere = join(bench().dir, 'place');
    groundIn(elsewhere, BEFORE);
    const engine = await at.open(quiet);
    const id = await ran(engine, work, { working_dir: elsewhere });
    await engine.close();
    rmSync(elsewhere, { recursive: true });
    const later = await at.open(quiet);
    expect((await errorOf(later.undo(id))).message).toContain(elsewhere);
  });
});

test('clean-up keeps what undo needs for as long as checkpoints are kept', async () => {
  const { engine, id, ...at } = await world(async (task) => {
    await work(task);
    for (let n = 0; n < 40; n++) await task.step(`step ${n}`, () => n);
  });
  expect(await engine.clean()).toMatchObject({});
  expect((await checkpointsOf(engine, id)).length).toBeGreaterThan(0);
  await engine.undo(id);
  expect(all(at)).toEqual(BACK);
});

describe('a task that is resumed after its files were taken back', () => {
  const resumed = async (fails: 'in a step' | 'between steps') => {
    const at = bench();
    const { read, write } = groundIn(at.dir, { 'a.txt': lines('one') });
    const told: string[] = [];
    const notify = (said: readonly string[]) => void told.push(...said);
    const definition = defineTask('work', async (task) => {
      await task.files.edit('a.txt', adding('by the task'));
      const check = () => {
        if (read('ok') === null) throw new Error('not ok');
      };
      if (fails === 'in a step') await task.step('check', check);
      else check();
      await task.files.edit('b.txt', () => 'b');
    });
    write('b.txt', '');
    const engine = await at.open({ ...quiet, tasks: [definition], notify });
    const { id, outcome } = await engine.start(definition, undefined);
    await outcome;
    await engine.undo(id);
    expect(read('a.txt')).toBe(lines('one'));
    write('ok', '');
    await (await engine.resume(id)).result;
    const { head } = await requireTask(engine.storage, id);
    expect(head.files_undone).toBeUndefined();
    expect(await canRedo(engine.storage, head)).toBe(false);
    await expect(engine.redo(id)).rejects.toMatchObject({ code: 'NOTHING_TO_REDO' });
    expect(read('b.txt')).toBe('b');
    const undone = (await engine.history(id)).files_undone.length;
    return { told: told.join('\n'), a: read('a.txt'), undone };
  };

  test('has what it did before a step that failed brought back, and says that', async () => {
    const { told, a } = await resumed('in a step');
    expect(told).toContain('Redone first, because the task resumes from there: a.txt.');
    expect(told).not.toContain('Undone first');
    expect(a).toBe(lines('one', 'by the task'));
  });

  test('says that they stay taken back, where it resumes from its end', async () => {
    const { told, a, undone } = await resumed('between steps');
    expect(undone).toBe(1);
    expect(told).toContain('Its changes to files were undone (');
    expect(a).toBe(lines('one'));
  });
});

test('what is overwritten can be brought back though its blob was damaged: the file had it', async () => {
  const { dir, engine, id, read } = await world();
  const done = read('a.txt')!;
  const blob = join(dir, '.vibe-engine', 'blobs', 'file', hash('sha256', done));
  writeFileSync(blob, 'damaged');
  await engine.undo(id);
  expect(read('a.txt')).toBe(BEFORE['a.txt']);
  await engine.redo(id);
  expect(read('a.txt')).toBe(done);
});
