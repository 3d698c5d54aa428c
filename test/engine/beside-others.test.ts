/** Tasks side by side in one directory: none of them is told to have changed what another one did. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { TaskContext } from '../../src/engine/api/context.ts';
import { defineTask } from '../../src/engine/api/definition.ts';
import type { Engine, EngineOptions } from '../../src/engine/engine.ts';
import { LOOK_BACK } from '../../src/engine/files/others.ts';
import { manualClock } from '../support/manual-clock.ts';
import { liveOf, untilStatus } from './letters.ts';
import { benches, latch } from './setup.ts';
import { onEachStore } from './stores.ts';
import { adding, type Ground, groundIn, ran } from './undo-ground.ts';

const TEXT = 'one\n2\n3\n4\n5\nsix\n';
const OPTIONS = { workspace: true, automatic_cleanup: false } as const;

/** A step that may change any file. */
function command(task: TaskContext, run: () => unknown): Promise<unknown> {
  return task.step('command', async () => void (await run()), { dangerous: 'shell_command' });
}

/** Wherever it is told what a task changed, the same is. */
async function toldOf(engine: Engine, task: string) {
  const { reader } = engine;
  const own = (await reader.changedFiles(task))!;
  const idle = await ran(engine, async () => {});
  const { a, only_a } = await reader.compare(task, idle);
  expect({ changed: only_a, in_doubt: a.in_doubt, complete: a.complete }).toEqual(own);
  expect((await reader.view(task)).files).toEqual(own);
  expect((await reader.view(task, { brief: true })).files).toEqual(own);
  return own;
}

/** Who made each hunk between the task's start and now, with its steps. */
async function hunksOf({ reader }: Engine, task: string, path: string) {
  const [from, to] = [await reader.diffPoint('start', task), await reader.diffPoint('now', task)];
  const [file] = (await reader.diffFiles(from, to, { hunks: [path], context: 0 }))!;
  return file!.hunks!.map(({ by, steps }) => [by, ...steps.map(({ name }) => name)]);
}

const adds =
  (path: string, line: string) =>
  (task: TaskContext): Promise<unknown> =>
    task.files.edit(path, adding(line));

onEachStore((fresh) => {
  test('files that another task wrote while a command ran are that one’s', async () => {
    const { dir, open } = await fresh();
    const { write, read } = groundIn(dir, { 'mine.txt': TEXT, 'theirs.txt': TEXT, 'both.txt': TEXT });
    const [engine, another] = [await open(OPTIONS), await open(OPTIONS)];
    let other = '';
    const id = await ran(engine, (task) =>
      command(task, async () => {
        write('mine.txt', 'mine\n');
        other = await ran(another, async (task) => {
          await task.files.edit('theirs.txt', adding('theirs'));
          await task.files.write('new/file.txt', 'theirs\n');
          await task.files.edit('both.txt', adding('theirs'));
        });
        write('both.txt', read('both.txt')!.replace('one', 'mine'));
      }),
    );
    const mine = ['both.txt', 'mine.txt'];
    expect(await toldOf(engine, id)).toEqual({ changed: mine, in_doubt: [], complete: true });
    const theirs = ['both.txt', 'new/file.txt', 'theirs.txt'];
    expect(await toldOf(engine, other)).toEqual({ changed: theirs, in_doubt: [], complete: true });
    // Lines of one file are told apart, too; and of the other, which was at work in between.
    expect(await hunksOf(engine, id, 'both.txt')).toEqual([['shell', 'command'], [`task:${other}`]]);
    expect(await hunksOf(engine, id, 'theirs.txt')).toEqual([[`task:${other}`]]);
    const { only_a, only_b, same, differ } = await engine.reader.compare(id, other);
    expect([only_a, only_b, same]).toEqual([['mine.txt'], ['new/file.txt', 'theirs.txt'], []]);
    expect(differ).toMatchObject([{ path: 'both.txt', merge: 'clean' }]);
    expect(differ.map(({ hunks_a, hunks_b }) => [hunks_a, hunks_b].map((all) => all!.length))).toEqual([
      [1, 1],
    ]);
    const after = (await engine.checkpoints.listCheckpoints(id))[0]!.id;
    expect((await engine.reader.changedAfter(after))!.changed).toEqual(mine);
  });

  test('of a task with a damaged journal, what comes before the damage is known', async () => {
    const { dir, open, damageEntry } = await fresh();
    const { write } = groundIn(dir, {});
    const engine = await open(OPTIONS);
    let other = '';
    const id = await ran(engine, (task) =>
      command(task, async () => {
        other = await ran(engine, async (task) => {
          for (const path of ['1.txt', '2.txt', '3.txt']) await task.files.write(path, 'theirs\n');
        });
        write('mine.txt', 'mine\n');
      }),
    );
    const steps = (await liveOf(engine, other)).filter(({ entry }) => entry.t === 'step');
    await engine.close();
    await damageEntry(other, steps[1]!.seq);
    const again = await open(OPTIONS);
    for (const _ of [1, 2])
      expect((await again.reader.changedFiles(id))!.changed).toEqual(['2.txt', '3.txt', 'mine.txt']);
    expect(await hunksOf(again, id, '1.txt')).toEqual([[`task:${other}`]]);
    expect(await hunksOf(again, id, '2.txt')).toEqual([['shell', 'command']]);
  });
});

const bench = benches();

async function opened(
  files: Record<string, string>,
  options: EngineOptions = {},
): Promise<Ground & { readonly engine: Engine }> {
  const at = bench();
  return { ...groundIn(at.dir, files), engine: await at.open({ ...OPTIONS, ...options }) };
}

test('an edit that took long, beside that of another task, and what a person wrote before and after', async () => {
  const clock = manualClock(new Date());
  const { engine, read, write } = await opened({ 'a.txt': TEXT, 'own.txt': TEXT }, { clock });
  let other = '';
  const id = await ran(engine, async (task) => {
    await task.files.edit('own.txt', async (text) => {
      write('a.txt', TEXT.replace('2', 'by a person'));
      other = await ran(engine, adds('a.txt', 'theirs'));
      write('a.txt', read('a.txt')!.replace('5', 'by a person'));
      clock.advance(60_000);
      return `${text}own\n`;
    });
    await task.files.edit('a.txt', (text) => text.replace('one', 'mine'));
  });
  expect((await toldOf(engine, id)).changed).toEqual(['a.txt', 'own.txt']);
  expect((await toldOf(engine, other)).changed).toEqual(['a.txt']);
  expect(await hunksOf(engine, id, 'a.txt')).toEqual([
    ['task', 'files.edit a.txt'],
    ['you'],
    ['you'],
    [`task:${other}`],
  ]);
});

test('what a person saved while a command ran stays with the task, whatever others do', async () => {
  const { engine, write } = await opened({ 'person.txt': TEXT, 'theirs.txt': TEXT });
  const id = await ran(engine, (task) =>
    command(task, async () => {
      await ran(engine, adds('theirs.txt', 'theirs'));
      write('person.txt', 'a person\n');
    }),
  );
  expect(await toldOf(engine, id)).toMatchObject({ changed: ['person.txt'], in_doubt: [] });
  expect(await hunksOf(engine, id, 'person.txt')).toEqual([['shell', 'command']]);
});

test('what commands of two tasks changed side by side is in doubt for both, as an undo asks', async () => {
  const { engine, write } = await opened({ 'theirs.txt': TEXT });
  let other = '';
  const id = await ran(engine, (task) =>
    command(task, async () => {
      write('mine.txt', 'mine\n');
      other = await ran(engine, (task) => task.shell('echo theirs >> theirs.txt'));
    }),
  );
  expect(await toldOf(engine, id)).toMatchObject({ changed: ['mine.txt'], in_doubt: ['theirs.txt'] });
  expect(await toldOf(engine, other)).toMatchObject({ changed: [], in_doubt: ['theirs.txt'] });
  expect(await hunksOf(engine, id, 'theirs.txt')).toEqual([[null]]);
  for (const task of [id, other]) {
    const { plan } = await engine.previewUndo(task);
    expect(plan!.filter(({ action }) => action === 'ask').map(({ path }) => path)).toEqual(['theirs.txt']);
  }
});

test('commands right after one another are each task’s own', async () => {
  const { engine } = await opened({ 'a.txt': TEXT });
  const run = (line: string) => ran(engine, (task) => task.shell(`echo ${line} >> a.txt`));
  const ids = [await run('first'), await run('second'), await run('third')];
  for (const id of ids) expect(await toldOf(engine, id)).toMatchObject({ changed: ['a.txt'], in_doubt: [] });
  expect(await hunksOf(engine, ids[0]!, 'a.txt')).toEqual([
    ['shell', 'tool:shell'],
    [`task:${ids[1]}`],
    [`task:${ids[2]}`],
  ]);
});

test('commands of two other tasks side by side, of which one saw all that the other did', async () => {
  const { engine, read } = await opened({ 'a.txt': TEXT });
  const ids: string[] = [];
  const waits = defineTask('waits', async (task) => {
    await task.files.write('own.txt', 'own\n');
    await task.waitFor('user_input', { prompt: 'on?' });
  });
  const { id, outcome } = await engine.start(waits, undefined);
  await untilStatus(engine, id, 'waiting');
  ids[0] = await ran(engine, (task) =>
    command(task, async () => {
      ids[1] = await ran(engine, (task) => task.shell('echo more >> a.txt'));
    }),
  );
  await engine.answer(id, 'yes');
  await outcome;
  expect(read('a.txt')).toBe(`${TEXT}more\n`);
  const [from, to] = [await engine.reader.diffPoint('start', id), await engine.reader.diffPoint('now', id)];
  const [file] = (await engine.reader.diffFiles(from, to))!;
  expect(ids.map((one) => ({ path: 'a.txt', by: [`task:${one}`] }))).toContainEqual({
    path: file!.path,
    by: file!.by,
  });
});

test('a fork beside the task that it was forked from, and what both have in common', async () => {
  const { engine, write } = await opened({ 'first.txt': TEXT, 'theirs.txt': TEXT });
  const go = latch();
  let original = '';
  const work = defineTask('work', async (task) => {
    await command(task, async () => {
      await ran(engine, adds('theirs.txt', 'theirs'));
      write('first.txt', 'first\n');
    });
    const who = await task.waitFor<string>('user_input', { prompt: 'who?' });
    if (who === 'original') await task.files.write('original.txt', 'original\n');
    else
      await command(task, async () => {
        await engine.answer(original, 'original');
        await go.promise;
        write('fork.txt', 'fork\n');
      });
  });
  const { id, outcome } = await engine.start(work, undefined);
  original = id;
  await untilStatus(engine, id, 'waiting');
  const { id: fork } = await engine.fork((await engine.checkpoints.listCheckpoints(id)).at(-1)!.id);
  const second = await engine.resume(fork);
  await untilStatus(engine, fork, 'waiting');
  await engine.answer(fork, 'fork');
  await outcome;
  go.resolve();
  await second.outcome;
  const changed = async (task: string) => (await engine.reader.view(task)).files;
  expect(await changed(id)).toMatchObject({ changed: ['first.txt', 'original.txt'], in_doubt: [] });
  expect(await changed(fork)).toMatchObject({ changed: ['first.txt', 'fork.txt'], in_doubt: [] });
  expect((await engine.reader.changedFiles(fork))!.changed).toEqual(['fork.txt']);
  const { only_a, only_b, same } = await engine.reader.compare(id, fork);
  expect([only_a, only_b, same]).toEqual([['original.txt'], ['fork.txt'], []]);
});

test('tasks that came long after are not looked at, however many they are', async () => {
  const clock = manualClock(new Date());
  const { engine, write } = await opened({ 'theirs.txt': TEXT }, { clock });
  const id = await ran(engine, (task) =>
    command(task, async () => {
      await ran(engine, adds('theirs.txt', 'theirs'));
      write('mine.txt', 'mine\n');
    }),
  );
  clock.advance(3_600_000);
  for (let n = 0; n <= LOOK_BACK; n++) await ran(engine, async () => {});
  expect((await engine.reader.changedFiles(id))!.changed).toEqual(['mine.txt']);
});

test('what another task goes on to do is known at the next question', async () => {
  const { engine, write } = await opened({ 'theirs.txt': TEXT });
  const waits = defineTask('waits', async (task) => {
    for (;;) {
      const path = await task.waitFor<string>('user_input', { prompt: 'which?' });
      if (path === '') return;
      await task.files.write(path, 'theirs\n');
    }
  });
  const other = await engine.start(waits, undefined);
  const goesOn = async (path: string) => {
    await untilStatus(engine, other.id, 'waiting');
    await engine.answer(other.id, path);
    await expect.poll(() => existsSync(join(engine.project_dir, path))).toBe(true);
    await untilStatus(engine, other.id, 'waiting');
  };
  for (const path of ['1.txt', '2.txt', '3.txt']) {
    const id = await ran(engine, (task) =>
      command(task, async () => {
        await goesOn(path);
        write(`mine-${path}`, 'mine\n');
      }),
    );
    expect(await toldOf(engine, id)).toMatchObject({ changed: [`mine-${path}`], in_doubt: [] });
  }
  await engine.answer(other.id, '');
  await other.outcome;
});
