/** What is taken where files are odd, repositories differ, stores are encrypted, and operations were cut off. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { TaskContext } from '../../src/engine/api/context.ts';
import { defineTask } from '../../src/engine/api/definition.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { tempDirs } from '../support/temp.ts';
import { until } from '../support/until.ts';
import { newRepository } from './file-world.ts';
import { onEveryStore } from './stores.ts';
import { errorOf, groundIn } from './undo-ground.ts';

const tempDir = tempDirs();
const START = {
  'a.txt': '1\n2\n3\n4\n5\n6\n7\n8\n',
  'kept.txt': 'kept\n',
  'gone/deep.txt': 'deep\n',
  'data.bin': '\0old',
};

async function works(
  engine: Engine,
  run: (task: TaskContext) => Promise<unknown>,
  options: { readonly working_dir?: string } = {},
): Promise<string> {
  const { id, result } = await engine.start(defineTask('work', run, { version: '1' }), undefined, options);
  await result;
  return id;
}

/** Changes of every kind to the files of a directory. */
const everything = (dir: string) => (task: TaskContext) =>
  task.step(
    'everything',
    () => {
      writeFileSync(join(dir, 'a.txt'), '1\ntwo\n3\n4\n5\n6\n7\n8\n');
      rmSync(join(dir, 'gone'), { recursive: true });
      writeFileSync(join(dir, 'data.bin'), Buffer.from([0, 1, 2, 255]));
      mkdirSync(join(dir, 'new/deep'), { recursive: true });
      writeFileSync(join(dir, 'new/deep/run.sh'), '#!/bin/sh\n', { mode: 0o755 });
      symlinkSync('deep/run.sh', join(dir, 'new/link'));
      chmodSync(join(dir, 'kept.txt'), 0o600);
    },
    { dangerous: 'file_change' },
  );

onEveryStore((fresh) => {
  test('links, modes, bytes and directories arrive on an encrypted store, also from what only a git repository has', async () => {
    process.env.VIBE_ENGINE_KEY ??= 'c0ffee'.padEnd(64, '0');
    const store = await fresh();
    const here = groundIn(store.dir, START);
    const elsewhere = tempDir();
    newRepository(elsewhere, START);
    const config = { encryption: { enabled: true } };
    const engine = await store.open({ workspace: true, config });
    const into = await works(engine, (task) =>
      task.files.edit('a.txt', (text) => text.replace('8', 'eight')),
    );
    const from = await works(engine, everything(elsewhere), { working_dir: elsewhere });
    const { files, notes, checkpoint } = await engine.take(from, into);
    expect(notes.left).toEqual([]);
    expect(files).toEqual(['a.txt', 'data.bin', 'gone/deep.txt', 'kept.txt', 'new/deep/run.sh', 'new/link']);
    expect(here.read('a.txt')).toBe('1\ntwo\n3\n4\n5\n6\n7\neight\n');
    expect([...readFileSync(join(store.dir, 'data.bin'))]).toEqual([0, 1, 2, 255]);
    expect(here.read('gone/deep.txt')).toBeNull();
    expect(lstatSync(join(store.dir, 'new/deep/run.sh')).mode & 0o777).toBe(0o755);
    expect(lstatSync(join(store.dir, 'kept.txt')).mode & 0o777).toBe(0o600);
    expect(readlinkSync(join(store.dir, 'new/link'))).toBe('deep/run.sh');
    rmSync(elsewhere, { recursive: true });
    await engine.rollback(checkpoint!, { only: 'files' });
    expect(here.read('gone/deep.txt')).toBe('deep\n');
    expect(here.read('a.txt')).toBe('1\n2\n3\n4\n5\n6\n7\neight\n');
    expect(existsSync(join(store.dir, 'new/deep/run.sh'))).toBe(false);
    await engine.redo(into);
    expect(here.read('a.txt')).toBe('1\ntwo\n3\n4\n5\n6\n7\neight\n');
  });
});

onEveryStore(
  (fresh) => {
    test('what is not there any more, or cannot be merged, is asked about', async () => {
      const store = await fresh();
      const here = groundIn(store.dir, START);
      const elsewhere = tempDir();
      groundIn(elsewhere, START);
      const engine = await store.open({ workspace: true });
      const into = await works(engine, async (task) => task.shell('rm a.txt; printf other > data.bin'));
      const from = await works(engine, everything(elsewhere), { working_dir: elsewhere });
      const { plan } = await engine.previewTake(from, into);
      const of = (path: string) => plan!.find((file) => file.path === path);
      expect(of('a.txt')).toMatchObject({ outcome: 'ask', why: 'deleted', recommended: 'skip' });
      expect(of('data.bin')).toMatchObject({ outcome: 'conflict', why: 'modified' });
      expect(await errorOf(engine.take(from, into))).toMatchObject({ code: 'RESTORE_UNANSWERED' });
      expect(here.read('gone/deep.txt')).toBe('deep\n');
      const files = { 'a.txt': 'restore', 'data.bin': 'use_current' } as const;
      await engine.take(from, into, { files });
      expect(here.read('a.txt')).toBe('1\ntwo\n3\n4\n5\n6\n7\n8\n');
      expect(here.read('data.bin')).toBe('other');
      await engine.undo(into);
      for (const [path, text] of Object.entries(START)) expect(here.read(path)).toBe(text);
    });

    test('nothing is brought into a task that was cut off in an operation, and what is in progress is not taken', async () => {
      const store = await fresh();
      const here = groundIn(store.dir, START);
      const elsewhere = tempDir();
      const there = groundIn(elsewhere, START);
      const hangs = (dir: string) =>
        defineTask(
          'hangs',
          async (task) => {
            await task.files.write('done.txt', 'done\n');
            await task.step(
              'hang',
              async () => {
                writeFileSync(join(dir, 'half.txt'), 'half\n');
                await new Promise(() => {});
              },
              { dangerous: 'file_change' },
            );
          },
          { version: '1' },
        );
      const first = await store.open({ workspace: true });
      const handles = [
        await first.start(hangs(store.dir), undefined),
        await first.start(hangs(elsewhere), undefined, { working_dir: elsewhere }),
      ];
      for (const handle of handles) handle.result.catch(() => {});
      await until(() =>
        Promise.resolve(
          expect([here, there].map(({ read }) => read('half.txt'))).toEqual(['half\n', 'half\n']),
        ),
      );
      const done = await works(first, (task) => task.step('none', () => 1));
      const preview = await first.previewTake(handles[1]!.id, done);
      expect(preview).toMatchObject({ complete: false, plan: [{ path: 'done.txt', why: 'already' }] });
      await first.close();
      const engine = await store.open({ workspace: true });
      expect(await errorOf(engine.take(handles[1]!.id, handles[0]!.id))).toMatchObject({
        code: 'NOT_RESUMABLE',
        message: expect.stringContaining('cut off in the middle of hang'),
      });
    });
  },
  ['json'],
);
