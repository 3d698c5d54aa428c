/** Several at work on the same files at once: what one of them did is undone, and nothing that another did. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { TaskContext } from '../../src/engine/api/context.ts';
import { defineTask } from '../../src/engine/api/definition.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { recordsOf } from './letters.ts';
import { latch } from './setup.ts';
import { onEachStore, type Store } from './stores.ts';

const TEXT = 'one\n2\n3\n4\n5\nsix\n';

function filesOf({ dir }: Store) {
  return {
    read: (path: string) => readFileSync(join(dir, path), 'utf8'),
    write: (path: string, text: string) => writeFileSync(join(dir, path), text),
  };
}

/** Runs a task that fails in the end, so that it can be rolled back to its beginning. */
async function failing(engine: Engine, work: (task: TaskContext) => Promise<unknown>) {
  let start = '';
  const task = defineTask('works', async (task) => {
    start = await task.checkpoint();
    await work(task);
    throw new Error('not what was wanted');
  });
  const { id, outcome } = await engine.start(task, undefined);
  await outcome;
  return { id, start };
}

onEachStore((fresh) => {
  test('what another task wrote while this one was writing stays when this one is rolled back', async () => {
    const store = await fresh();
    const files = filesOf(store);
    for (const path of ['mine.txt', 'shared.txt', 'theirs.txt']) files.write(path, TEXT);
    const [engine, another] = [await store.open({ workspace: true }), await store.open({ workspace: true })];
    const { id, start } = await failing(engine, async (task) => {
      await task.files.edit('mine.txt', async (text) => {
        await another.run(
          defineTask('other', async (other) => {
            await other.files.write('theirs.txt', 'theirs\n');
            await other.files.write('new/file.txt', 'theirs\n');
          }),
          undefined,
        );
        return text.replace('one', 'ONE');
      });
      await task.files.edit('shared.txt', async (text) => {
        const edits = defineTask('edits', (other) =>
          other.files.edit('shared.txt', (now) => now.replace('six', 'SIX')),
        );
        await another.run(edits, undefined);
        return text.replace('one', 'ONE');
      });
    });
    expect(files.read('shared.txt')).toBe('ONE\n2\n3\n4\n5\nSIX\n');
    const told = (await recordsOf(engine, id)).flatMap(({ file_changes }) => file_changes.modified);
    expect(told.map(({ path, by }) => `${path} ${by}`)).toEqual([
      'mine.txt step',
      'theirs.txt outside',
      'shared.txt step',
    ]);
    expect((await engine.rollback(start)).files).toEqual(['mine.txt', 'shared.txt']);
    expect(files.read('mine.txt')).toBe(TEXT);
    expect(files.read('shared.txt')).toBe(TEXT.replace('six', 'SIX'));
    expect(files.read('theirs.txt')).toBe('theirs\n');
    expect(files.read('new/file.txt')).toBe('theirs\n');
    await engine.redo(id);
    expect(files.read('shared.txt')).toBe('ONE\n2\n3\n4\n5\nSIX\n');
  });

  test('what another task wrote while a command of this one ran stays when this one is rolled back', async () => {
    const store = await fresh();
    const files = filesOf(store);
    for (const path of ['mine.txt', 'theirs.txt', 'theirs-first.txt', 'mine-first.txt'])
      files.write(path, 'old\n');
    const [engine, another] = [await store.open({ workspace: true }), await store.open({ workspace: true })];
    const { id, start } = await failing(engine, async (task) => {
      const command = async () => {
        files.write('mine.txt', 'mine\n');
        files.write('mine-first.txt', 'mine\n');
        const other = defineTask('other', async (other) => {
          await other.files.write('theirs.txt', 'theirs\n');
          await other.files.write('new/file.txt', 'theirs\n');
          await other.files.write('theirs-first.txt', 'theirs\n');
          await other.files.write('mine-first.txt', 'theirs\n');
        });
        await another.run(other, undefined);
        files.write('theirs-first.txt', 'mine\n');
      };
      await task.step('command', command, { dangerous: 'shell_command' });
    });
    const plan = (await engine.previewRollback(start)).plan!.map(({ path, action }) => `${action} ${path}`);
    expect(plan).toEqual(['ask mine-first.txt', 'put mine.txt', 'put theirs-first.txt']);
    const { files: back } = await engine.rollback(start, { on_modified: 'use_current' });
    expect(back).toEqual(['mine.txt', 'theirs-first.txt']);
    expect(files.read('mine.txt')).toBe('old\n');
    for (const path of ['theirs.txt', 'new/file.txt', 'theirs-first.txt', 'mine-first.txt'])
      expect(files.read(path), path).toBe('theirs\n');
    await engine.redo(id);
    expect(files.read('theirs-first.txt')).toBe('mine\n');
  });
});

onEachStore(
  (fresh) => {
    test('what a person saves while agents of a task write side by side stays', async () => {
      const store = await fresh();
      const files = filesOf(store);
      for (const path of ['a.txt', 'b.txt', 'person.txt']) files.write(path, TEXT);
      const engine = await store.open({ workspace: true });
      const { start } = await failing(engine, async (task) => {
        const [first, second] = [latch(), latch()];
        await Promise.all([
          task.agent('one', ({ files: own }) =>
            own.edit('a.txt', async (text) => {
              first.resolve();
              await second.promise;
              files.write('person.txt', 'a person\n');
              return `${text}agent\n`;
            }),
          ),
          task.agent('two', async ({ files: own }) => {
            await first.promise;
            await own.edit('b.txt', (text) => `${text}agent\n`);
            second.resolve();
          }),
        ]);
      });
      expect((await engine.rollback(start)).files).toEqual(['a.txt', 'b.txt']);
      expect(['a.txt', 'b.txt'].map(files.read)).toEqual([TEXT, TEXT]);
      expect(files.read('person.txt')).toBe('a person\n');
    });

    test('an edit that failed has changed nothing, whatever others did meanwhile', async () => {
      const store = await fresh();
      const files = filesOf(store);
      for (const path of ['a.txt', 'b.txt']) files.write(path, TEXT);
      const engine = await store.open({ workspace: true });
      const { start } = await failing(engine, async (task) => {
        const failed = task.files.edit('a.txt', (text) => {
          files.write('a.txt', text.replace('one', 'theirs'));
          files.write('b.txt', 'theirs\n');
          return text.replace('one', 'ours');
        });
        await expect(failed).rejects.toMatchObject({ code: 'FILE_CONFLICT' });
      });
      expect((await engine.rollback(start)).files).toEqual([]);
      expect(files.read('a.txt')).toBe(TEXT.replace('one', 'theirs'));
      expect(files.read('b.txt')).toBe('theirs\n');
    });

    test('what commands of two tasks changed side by side is asked about', async () => {
      const store = await fresh();
      const files = filesOf(store);
      const engine = await store.open({ workspace: true });
      const { start } = await failing(engine, async (task) => {
        const command = async () => {
          files.write('mine.txt', 'mine\n');
          const other = defineTask('other', (other) => other.shell('echo theirs > theirs.txt'));
          await engine.run(other, undefined);
        };
        await task.step('command', command, { dangerous: 'shell_command' });
      });
      const plan = (await engine.previewRollback(start)).plan!;
      expect(plan.map(({ path, action }) => `${action} ${path}`)).toEqual([
        'remove mine.txt',
        'ask theirs.txt',
      ]);
    });

    test('what another task wrote while a command ran is not among the files of a completed one', async () => {
      const store = await fresh();
      const files = filesOf(store);
      const engine = await store.open({ workspace: true });
      const both = defineTask('both', (task) =>
        task.step(
          'command',
          async () => {
            files.write('mine.txt', 'mine\n');
            const other = defineTask('other', (other) => other.files.write('theirs.txt', 'theirs\n'));
            await engine.run(other, undefined);
          },
          { dangerous: 'shell_command' },
        ),
      );
      const { id, outcome } = await engine.start(both, undefined);
      await outcome;
      expect((await engine.state(id))?.data).toMatchObject({ files_modified: ['mine.txt'] });
    });

    test('what a person saved while a command ran is taken for the task, and is there again after a redo', async () => {
      const store = await fresh();
      const files = filesOf(store);
      files.write('person.txt', 'old\n');
      const engine = await store.open({ workspace: true });
      const { id, start } = await failing(engine, (task) =>
        task.step('command', () => files.write('person.txt', 'a person\n'), { dangerous: 'shell_command' }),
      );
      await engine.rollback(start);
      expect(files.read('person.txt')).toBe('old\n');
      await engine.redo(id);
      expect(files.read('person.txt')).toBe('a person\n');
    });

    test('a write that was cut off is in doubt with its own file alone', async () => {
      const store = await fresh();
      const files = filesOf(store);
      for (const path of ['a.txt', 'b.txt']) files.write(path, TEXT);
      const reached = latch();
      let start = '';
      let again = false;
      const told: unknown[] = [];
      const run = async (task: TaskContext) => {
        start = await task.checkpoint();
        await task.files.edit('a.txt', async (text) => {
          if (!again) {
            reached.resolve();
            await new Promise(() => {});
          }
          return `${text}task\n`;
        });
        throw new Error('not what was wanted');
      };
      const definition = defineTask('edits', run);
      const first = await store.open({ workspace: true });
      const { id } = await first.start(definition, undefined);
      await reached.promise;
      await first.close();
      again = true;
      files.write('b.txt', 'a person\n');
      const engine = await store.open({ workspace: true, tasks: [definition] });
      engine.on('step.started', ({ unknown }) => told.push(unknown));
      await (await engine.resume(id)).outcome;
      expect(told).toEqual([true]);
      expect((await engine.rollback(start)).files).toEqual(['a.txt']);
      expect([files.read('a.txt'), files.read('b.txt')]).toEqual([TEXT, 'a person\n']);
    });
  },
  ['json'],
);
