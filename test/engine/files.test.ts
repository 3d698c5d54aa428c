/** Files in the engine: captured, told from those of others, put back and brought forward again; on each store. */
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { StepContext, TaskContext } from '../../src/engine/api/context.ts';
import { defineTask } from '../../src/engine/api/definition.ts';
import type { Question } from '../../src/engine/api/prompter.ts';
import type { Engine, EngineOptions } from '../../src/engine/engine.ts';
import { setIoHook } from '../../src/system/io.ts';
import { loadSnapshot } from '../../src/workspace/snapshot/snapshots.ts';
import { entryAt, everyEntry } from '../../src/workspace/tree/tree.ts';
import { checkpointsOf, liveOf, untilStatus } from './letters.ts';
import { latch } from './setup.ts';
import { onEachStore, type Store } from './stores.ts';

const changes = { dangerous: 'file_change' } as const;
const runs = { dangerous: 'shell_command' } as const;

interface Folder {
  readonly store: Store;
  read(path: string): string | null;
  write(path: string, content: string): void;
  open(...tasks: Parameters<typeof defineTask>[1][]): Promise<Engine>;
}

async function folderOn(fresh: () => Promise<Store>, files: Record<string, string> = {}): Promise<Folder> {
  const store = await fresh();
  const folder: Folder = {
    store,
    read: (path) => {
      const at = join(store.dir, path);
      return existsSync(at) ? readFileSync(at, 'utf8') : null;
    },
    write: (path, content) => {
      mkdirSync(join(store.dir, path, '..'), { recursive: true });
      writeFileSync(join(store.dir, path), content);
    },
    open: (...tasks) =>
      store.open({ workspace: true, tasks: tasks.map((run, i) => defineTask(`task-${i}`, run)) }),
  };
  for (const [path, content] of Object.entries(files)) folder.write(path, content);
  return folder;
}

/** Runs the task until it asks, and pauses it there. */
async function pausedWhenAsking(
  engine: Engine,
  run: (task: TaskContext) => Promise<unknown>,
): Promise<string> {
  const { id, outcome } = await engine.start(defineTask('task-0', run), undefined);
  await untilStatus(engine, id, 'waiting');
  await engine.pause(id);
  await outcome;
  return id;
}

onEachStore((fresh) => {
  test('a rollback undoes what the task did and keeps what a person did; redo brings it back', async () => {
    const folder = await folderOn(fresh, {
      'notes.txt': 'one\n',
      'gone.txt': 'still here\n',
      'mine.txt': 'mine\n',
    });
    const engine = await folder.open();
    let target = '';
    const task = await pausedWhenAsking(engine, async (context) => {
      target = await context.checkpoint();
      await context.step('edit', () => folder.write('notes.txt', 'two\n'), changes);
      folder.write('mine.txt', 'a person wrote this\n');
      await context.step(
        'build',
        () => {
          folder.write('out/new.txt', 'made\n');
          rmSync(join(folder.store.dir, 'gone.txt'));
        },
        runs,
      );
      await context.waitFor('user_input');
    });
    const wanted = ['gone.txt', 'notes.txt', 'out/new.txt'];
    expect((await engine.previewRollback(target)).files).toEqual(wanted);
    expect((await engine.rollback(target)).files).toEqual(wanted);
    expect([folder.read('notes.txt'), folder.read('gone.txt'), folder.read('out/new.txt')]).toEqual([
      'one\n',
      'still here\n',
      null,
    ]);
    expect(existsSync(join(folder.store.dir, 'out'))).toBe(false);
    expect(folder.read('mine.txt')).toBe('a person wrote this\n');
    await engine.redo(task);
    expect([folder.read('notes.txt'), folder.read('gone.txt'), folder.read('out/new.txt')]).toEqual([
      'two\n',
      null,
      'made\n',
    ]);
    expect(folder.read('mine.txt')).toBe('a person wrote this\n');
  });

  test('a file that others changed too is asked about, and merged when told', async () => {
    const folder = await folderOn(fresh, { 'notes.txt': 'one\n2\n3\n4\n5\nsix\n' });
    const engine = await folder.open();
    let target = '';
    await pausedWhenAsking(engine, async (context) => {
      target = await context.checkpoint();
      await context.step('edit', () => folder.write('notes.txt', 'ONE\n2\n3\n4\n5\nsix\n'), changes);
      await context.waitFor('user_input');
    });
    folder.write('notes.txt', 'ONE\n2\n3\n4\n5\nSIX\n');
    await expect(engine.rollback(target)).rejects.toMatchObject({
      code: 'RESTORE_UNANSWERED',
      data: { files: ['notes.txt'] },
    });
    expect(folder.read('notes.txt')).toBe('ONE\n2\n3\n4\n5\nSIX\n');
    const questions: Question[] = [];
    const prompter = {
      ask: async (question: Question) => {
        questions.push(question);
        return 'merge';
      },
    };
    expect(await engine.rollback(target, { prompter })).toMatchObject({ files: ['notes.txt'], done: true });
    expect(questions).toMatchObject([
      {
        kind: 'file_modified',
        options: ['use_current', 'use_checkpoint', 'merge', 'abort'],
        data: { path: 'notes.txt' },
      },
    ]);
    expect(folder.read('notes.txt')).toBe('one\n2\n3\n4\n5\nSIX\n');
  });

  test('of every file it is said beforehand what would become of it, and afterwards what was not put back', async () => {
    const names = ['asked.txt', 'back.txt', 'late.txt', '.vscode/tasks.json'];
    const folder = await folderOn(fresh, Object.fromEntries(names.map((name) => [name, 'start\n'])));
    symlinkSync('/nowhere', join(folder.store.dir, 'out'));
    const engine = await folder.open();
    let target = '';
    const task = await pausedWhenAsking(engine, async (context) => {
      target = await context.checkpoint();
      const work = () => {
        for (const name of [...names, 'made/by-task.txt']) folder.write(name, 'task\n');
        rmSync(join(folder.store.dir, 'out'));
      };
      await context.step('work', work, changes);
      await context.waitFor('user_input');
    });
    folder.write('asked.txt', 'a person\n');
    folder.write('made/by-a-person.txt', 'a person\n');
    const { plan, files } = await engine.previewRollback(target);
    expect(plan).toMatchObject([
      { path: '.vscode/tasks.json', action: 'put', why: null, runs: true },
      { path: 'asked.txt', action: 'ask', why: 'modified', runs: false, merges: false, outcome: 'conflict' },
      { path: 'back.txt', action: 'put', why: null, runs: false },
      { path: 'late.txt', action: 'put', why: null, runs: false },
      { path: 'made/by-task.txt', action: 'remove', why: null, runs: false },
      { path: 'out', action: 'keep', why: 'link_outside', runs: false },
    ]);
    expect(files).toEqual(plan!.filter(({ action }) => action !== 'keep').map(({ path }) => path));
    setIoHook(({ op, path }) => {
      if (op === 'rename' && path.endsWith('.old')) folder.write('late.txt', 'a person, just now\n');
      return undefined;
    });
    const result = await engine
      .rollback(target, { on_modified: 'use_current' })
      .finally(() => setIoHook(undefined));
    expect(result.files).toEqual(['.vscode/tasks.json', 'back.txt', 'made/by-task.txt']);
    expect(result.notes.left).toEqual([
      { path: 'asked.txt', why: 'chosen' },
      { path: 'late.txt', why: 'changed' },
      { path: 'made', why: 'blocked' },
      { path: 'out', why: 'link_outside' },
    ]);
    expect(folder.read('late.txt')).toBe('a person, just now\n');
    expect((await engine.redo(task)).notes).toMatchObject({ left: [], displaced: [] });
    expect([folder.read('back.txt'), folder.read('late.txt')]).toEqual(['task\n', 'a person, just now\n']);
  });

  test('checkpoints say which files changed, from what to what, and by whom; the task says it at its end', async () => {
    const folder = await folderOn(fresh, { 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' });
    const engine = await folder.open();
    const { id, outcome } = await engine.start(
      defineTask('changes', async (context) => {
        await context.step('edit', () => folder.write('a.txt', 'A\n'), changes);
        await context.tool('sed', {}, () => folder.write('b.txt', 'B\n'), changes);
        await context.step('run', () => folder.write('new.txt', 'new\n'), runs);
        folder.write('c.txt', 'C\n');
        await context.checkpoint();
      }),
      undefined,
    );
    await outcome;
    const by: [string, string][] = [];
    const created: string[] = [];
    for (const checkpoint of await checkpointsOf(engine, id)) {
      const { file_changes, snapshot } = (await engine.checkpoints.loadCheckpoint(checkpoint))!;
      expect(snapshot).toMatch(/^snapshot\//);
      created.push(...file_changes.created);
      for (const { path, by: who, hash_before, hash_after } of file_changes.modified) {
        expect(hash_before).not.toBe(hash_after);
        by.push([path, who]);
      }
    }
    expect(by).toEqual([
      ['a.txt', 'step'],
      ['b.txt', 'tool'],
      ['c.txt', 'outside'],
    ]);
    expect(created).toEqual(['new.txt']);
    expect(await engine.state(id)).toMatchObject({
      status: 'completed',
      data: { files_modified: ['a.txt', 'b.txt', 'new.txt'] },
    });
  });

  test('an operation that was cut off is told which files it did and did not change', async () => {
    const folder = await folderOn(fresh, { 'a.txt': 'a\n', 'b.txt': 'b\n' });
    const underWay = latch();
    const seen: StepContext['unknown'][] = [];
    const run = async (context: TaskContext) => {
      await context.step('first', () => folder.write('a.txt', 'A\n'), changes);
      await context.step(
        'build',
        async ({ unknown, signal }) => {
          seen.push(unknown);
          if (unknown) return;
          folder.write('b.txt', 'half\n');
          folder.write('new.txt', 'half\n');
          underWay.resolve();
          await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        },
        runs,
      );
    };
    const first = await folder.open();
    const { id, outcome } = await first.start(defineTask('task-0', run), undefined);
    await underWay.promise;
    await first.close();
    await outcome;
    const engine = await folder.open(run);
    expect(await (await engine.resume(id)).outcome).toMatchObject({ status: 'completed' });
    expect(seen).toMatchObject([
      null,
      { danger: 'shell_command', files: { changed: ['b.txt', 'new.txt'], unchanged: ['a.txt'] } },
    ]);
  });

  test('what a cut-off operation may have done is put back only when somebody says so', async () => {
    const folder = await folderOn(fresh, { 'a.txt': 'a\n' });
    const underWay = latch();
    const run = async (context: TaskContext) => {
      await context.step(
        'build',
        async () => {
          folder.write('a.txt', 'half\n');
          underWay.resolve();
          await new Promise(() => {});
        },
        runs,
      );
    };
    const first = await folder.open();
    const { id } = await first.start(defineTask('task-0', run), undefined);
    await underWay.promise;
    await first.close();
    const engine = await folder.open(run);
    const target = (await checkpointsOf(engine, id)).at(-1)!;
    await expect(engine.rollback(target)).rejects.toMatchObject({ code: 'RESTORE_UNANSWERED' });
    await engine.rollback(target, { on_modified: 'use_checkpoint' });
    expect(folder.read('a.txt')).toBe('a\n');
  });

  test('agents whose files overlap are refused before the second one starts', async () => {
    const folder = await folderOn(fresh, { 'src/a.ts': '' });
    const engine = await folder.open();
    const ran: string[] = [];
    const result = engine.run(
      defineTask('two', async (context) => {
        const held = latch();
        const first = context.agent('first', { files: ['src/**'] }, async (agent) => {
          ran.push('first');
          await agent.agent('helper', { files: ['src/a.ts'] }, () => void ran.push('helper'));
          await held.promise;
        });
        await expect.poll(() => ran).toEqual(['first', 'helper']);
        const second = context.agent('second', { files: ['src/a.ts'] }, () => void ran.push('second'));
        await expect(second).rejects.toMatchObject({ code: 'FILE_RESERVED' });
        held.resolve();
        await first;
        await context.agent('third', { files: ['src/a.ts'] }, () => void ran.push('third'));
      }),
      undefined,
    );
    await result;
    expect(ran).toEqual(['first', 'helper', 'third']);
  });
});

describe('what a person is told', () => {
  onEachStore(
    (fresh) => {
      test('files that make tools run something are named before a rollback puts them back', async () => {
        const folder = await folderOn(fresh, { '.vscode/tasks.json': 'start', 'a.txt': 'start' });
        const told: string[] = [];
        const notify = (lines: readonly string[]) => {
          told.push(...lines.filter((line) => line.includes('Tools execute')));
          expect(folder.read('.vscode/tasks.json')).toBe('task');
        };
        const engine = await folder.store.open({ workspace: true, notify });
        let target = '';
        const { outcome } = await engine.start(
          defineTask('changes', async (task) => {
            target = await task.checkpoint();
            await task.files.write('.vscode/tasks.json', 'task');
            await task.files.write('a.txt', 'task');
            throw new Error('stop');
          }),
          undefined,
        );
        await outcome;
        await engine.rollback(target);
        expect(told).toEqual([expect.stringMatching(/: \.vscode\/tasks\.json$/)]);
        expect(folder.read('.vscode/tasks.json')).toBe('start');
      });

      test("what a resume put back as the task had left it says where others' version is kept", async () => {
        const folder = await folderOn(fresh, { 'a.txt': 'a\n' });
        const run = async (context: TaskContext) => {
          await context.files.write('a.txt', 'A\n');
          return context.waitFor('user_input');
        };
        const engine = await folder.open(run);
        const id = await pausedWhenAsking(engine, run);
        folder.write('a.txt', 'a person\n');
        const { outcome } = await engine.resume(id, { on_modified: 'use_checkpoint' });
        await engine.answer(id, 'done');
        await outcome;
        expect(folder.read('a.txt')).toBe('A\n');
        const notes = (await liveOf(engine, id)).flatMap(({ entry }) =>
          entry.t === 'recovery' ? entry.notes : [],
        );
        const [, snapshot] = /a\.txt\. What was there: vibe-engine files (snapshot\/[0-9a-f]+)/.exec(
          notes.join(),
        )!;
        const { tree } = await loadSnapshot(engine.storage, snapshot!);
        expect(entryAt(tree, 'a.txt')).toMatchObject({ hash: hash('sha256', 'a person\n') });
      });
    },
    ['json'],
  );
});

describe('what is captured', () => {
  onEachStore(
    (fresh) => {
      test('is as configured, unless the engine is told otherwise', async () => {
        const folder = await folderOn(fresh, {
          'a.txt': 'a',
          'b.log': 'b',
          '.env': 'c',
          'big.bin': 'd'.repeat(3000),
        });
        const workspace = { exclude: ['*.log'], include: ['.env'], max_file_mb: 0.002, watch: false };
        const config = { ...folder.store.config, workspace };
        const captured = async (options: EngineOptions): Promise<string[]> => {
          const engine = await folder.store.open({ config, ...options });
          const { id, outcome } = await engine.start(
            defineTask('looks', (task) => task.checkpoint()),
            undefined,
          );
          await outcome;
          const first = (await checkpointsOf(engine, id))[0]!;
          const { tree } = await loadSnapshot(
            engine.storage,
            (await engine.checkpoints.loadCheckpoint(first))!.snapshot!,
          );
          await engine.close();
          return [...everyEntry(tree)].filter(([, { kind }]) => kind === 'file').map(([path]) => path);
        };
        expect(await captured({ workspace: true })).toEqual(['.env', 'a.txt']);
        const told = { exclude: ['a.txt'], max_file_mb: 1 };
        expect(await captured({ workspace: told })).toEqual(['.env', 'b.log', 'big.bin']);
      });
    },
    ['json'],
  );
});

describe('resuming', () => {
  onEachStore(
    (fresh) => {
      const THEIRS = 'a\n2\nthree\n';
      test.each([
        ['use_current', 'skip', THEIRS, null],
        ['use_checkpoint', 'restore', 'A\n2\n3\n', 'B\n'],
        ['merge', 'restore', 'A\n2\nthree\n', 'B\n'],
      ] as const)('others changed files: %s, %s', async (on_modified, on_deleted, a, b) => {
        const folder = await folderOn(fresh, { 'a.txt': 'a\n2\n3\n', 'c.txt': 'c\n' });
        const run = async (context: TaskContext) => {
          await context.files.write('a.txt', 'A\n2\n3\n');
          await context.files.write('b.txt', 'B\n');
          return context.waitFor('user_input');
        };
        const engine = await folder.open(run);
        const id = await pausedWhenAsking(engine, run);
        folder.write('a.txt', THEIRS);
        folder.write('c.txt', 'theirs too\n');
        rmSync(join(folder.store.dir, 'b.txt'));
        const abort = engine.resume(id, { on_modified, on_deleted: 'abort' });
        await expect(abort).rejects.toMatchObject({ code: 'ENVIRONMENT_CHANGED', data: { path: 'b.txt' } });
        expect([folder.read('a.txt'), folder.read('b.txt')]).toEqual([THEIRS, null]);
        const answers: Record<string, string> = { file_modified: on_modified, file_deleted: on_deleted };
        const prompter = { ask: async ({ kind }: Question) => answers[kind]! };
        const { outcome } = await engine.resume(id, { prompter });
        await engine.answer(id, 'done');
        expect(await outcome).toMatchObject({ status: 'completed' });
        expect([folder.read('a.txt'), folder.read('b.txt')]).toEqual([a, b]);
        expect(folder.read('c.txt')).toBe('theirs too\n');
      });

      test('puts nothing back that changed again after it was asked about', async () => {
        const folder = await folderOn(fresh, { 'a.txt': 'a\n', 'b.txt': 'b\n' });
        const run = async (context: TaskContext) => {
          for (const path of ['a.txt', 'b.txt']) await context.files.write(path, 'task\n');
          return context.waitFor('user_input');
        };
        const engine = await folder.open(run);
        const id = await pausedWhenAsking(engine, run);
        for (const path of ['a.txt', 'b.txt']) folder.write(path, 'theirs\n');
        const ask = async ({ data }: Question) => {
          if ((data as { path: string }).path === 'b.txt') folder.write('a.txt', 'theirs, and newer\n');
          return 'use_checkpoint';
        };
        const refused = { code: 'RESTORE_UNANSWERED', data: { files: ['a.txt'] } };
        await expect(engine.resume(id, { prompter: { ask } })).rejects.toMatchObject(refused);
        expect([folder.read('a.txt'), folder.read('b.txt')]).toEqual(['theirs, and newer\n', 'theirs\n']);
        const { outcome } = await engine.resume(id, { prompter: { ask: async () => 'use_checkpoint' } });
        await engine.answer(id, 'done');
        expect(await outcome).toMatchObject({ status: 'completed' });
        expect([folder.read('a.txt'), folder.read('b.txt')]).toEqual(['task\n', 'task\n']);
      });

      test('goes on when others change files while it is being decided about others', async () => {
        const folder = await folderOn(fresh, { 'a.txt': 'a\n', 'b.txt': 'b\n' });
        const run = async (context: TaskContext) => {
          for (const path of ['a.txt', 'b.txt']) await context.files.write(path, 'task\n');
          return context.waitFor('user_input');
        };
        const engine = await folder.open(run);
        const id = await pausedWhenAsking(engine, run);
        folder.write('a.txt', 'theirs\n');
        const ask = async () => {
          folder.write('b.txt', 'just now\n');
          return 'use_current';
        };
        const { outcome } = await engine.resume(id, { prompter: { ask } });
        await engine.answer(id, 'done');
        expect(await outcome).toMatchObject({ status: 'completed' });
        expect(folder.read('b.txt')).toBe('just now\n');
      });

      test("asks when others changed the task's files, not when they changed their own", async () => {
        const folder = await folderOn(fresh, { 'a.txt': 'a\n', 'b.txt': 'b\n' });
        const run = async (context: TaskContext) => {
          await context.step('edit', () => folder.write('a.txt', 'A\n'), changes);
          return context.waitFor('user_input');
        };
        const engine = await folder.open(run);
        const id = await pausedWhenAsking(engine, run);
        folder.write('b.txt', 'B\n');
        const resumed = await engine.resume(id);
        await engine.pause(id);
        await resumed.outcome;
        folder.write('a.txt', 'changed\n');
        await expect(engine.resume(id)).rejects.toMatchObject({ code: 'NEEDS_ANSWER' });
        const again = await engine.resume(id, { on_environment: 'continue' });
        await engine.answer(id, 'done');
        expect(await again.outcome).toMatchObject({ status: 'completed', output: 'done' });
      });
    },
    ['json'],
  );
});
