/** A write of a file that the agent has not looked at: what others did to it since the task started, or last left it, stays. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { TaskContext } from '../../src/engine/api/context.ts';
import { defineTask } from '../../src/engine/api/definition.ts';
import { checkpointsOf } from './cleanup-world.ts';
import { onEachStore } from './stores.ts';

const TEXT = 'one\n2\n3\n4\n5\nsix\n';

onEachStore((fresh) => {
  const ground = async () => {
    const store = await fresh();
    const write = (path: string, text: string): void => writeFileSync(join(store.dir, path), text);
    const read = (path: string): string | null =>
      existsSync(join(store.dir, path)) ? readFileSync(join(store.dir, path), 'utf8') : null;
    write('a.txt', TEXT);
    const engine = await store.open({ workspace: true });
    const run = <T>(work: (task: TaskContext) => Promise<T>): Promise<T> =>
      engine.run(defineTask('works', work), undefined);
    return { store, engine, read, write, run };
  };

  test('other lines are merged, the same lines are a conflict, and the file stays', async () => {
    const { run, read, write } = await ground();
    const { status } = await run(async (task) => {
      await task.step('a person', () => write('a.txt', TEXT.replace('six', 'person')));
      return task.files.write('a.txt', TEXT.replace('one', 'task'));
    });
    expect([status, read('a.txt')]).toEqual(['merged', 'task\n2\n3\n4\n5\nperson\n']);
    const conflict = run(async (task) => {
      await task.step('a person', () => write('a.txt', 'person\n'));
      await task.shell('true'); // Its snapshots contain what the person did.
      return task.files.write('a.txt', 'task\n');
    });
    await expect(conflict).rejects.toMatchObject({ code: 'FILE_CONFLICT' });
    expect(read('a.txt')).toBe('person\n');
    const deleted = run(async (task) => {
      await task.step('a person', () => write('a.txt', 'person, again\n'));
      return task.files.delete('a.txt');
    });
    await expect(deleted).rejects.toMatchObject({ code: 'FILE_CONFLICT' });
    expect(read('a.txt')).toBe('person, again\n');
  });

  test('a new file of a person’s stays; one that they removed is written', async () => {
    const { store, run, read, write } = await ground();
    const taken = run(async (task) => {
      await task.step('a person', () => write('new.txt', 'person\n'));
      return task.files.write('new.txt', 'task\n');
    });
    await expect(taken).rejects.toMatchObject({ code: 'FILE_CONFLICT' });
    expect(read('new.txt')).toBe('person\n');
    const { status } = await run(async (task) => {
      await task.step('a person', () => rmSync(join(store.dir, 'a.txt')));
      return task.files.write('a.txt', 'task\n');
    });
    expect([status, read('a.txt')]).toEqual(['written', 'task\n']);
  });

  test('what the task itself left is written over: by a command, or by another of its agents', async () => {
    const { run, read, write } = await ground();
    const written = await run(async (task) => {
      await task.step('a person', () => write('b.txt', 'person\n'));
      await task.shell('echo made > a.txt');
      const first = await task.files.write('a.txt', 'task\n');
      await task.agent('helper', (agent) => agent.files.write('c.txt', 'helper\n'));
      return [first.status, (await task.files.write('c.txt', 'task\n')).status];
    });
    expect(written).toEqual(['written', 'written']);
    expect([read('a.txt'), read('b.txt'), read('c.txt')]).toEqual(['task\n', 'person\n', 'task\n']);
  });

  test('what others did after a command of the task is not written over', async () => {
    const { run, read, write } = await ground();
    const conflict = run(async (task) => {
      await task.shell('echo made > a.txt');
      await task.step('a person', () => write('a.txt', 'person\n'));
      await task.shell('true');
      return task.files.write('a.txt', 'task\n');
    });
    await expect(conflict).rejects.toMatchObject({ code: 'FILE_CONFLICT' });
    expect(read('a.txt')).toBe('person\n');
  });

  test('a line that was kept when the task was rolled back is there after it has run again', async () => {
    const { engine, read, write } = await ground();
    let broken = true;
    const writes = defineTask('writes', async (task) => {
      await task.files.write('a.txt', 'task\n');
      const { status } = await task.files.write('new.txt', 'task\n');
      if (broken) throw new Error('stop');
      return status;
    });
    const { id, outcome } = await engine.start(writes, undefined);
    await outcome;
    write('a.txt', 'task\nperson\n');
    write('new.txt', 'person\n');
    const [first] = await checkpointsOf(engine, id);
    await engine.rollback(first!, { on_modified: 'use_current' });
    broken = false;
    const again = await engine.resume(id, { on_modified: 'use_current' });
    await expect(again.result).rejects.toMatchObject({ code: 'FILE_CONFLICT', data: { path: 'new.txt' } });
    expect([read('a.txt'), read('new.txt')]).toEqual(['task\nperson\n', 'person\n']);
  });
});
