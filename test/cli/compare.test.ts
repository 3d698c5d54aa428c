/** Two forks side by side. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import { openEngine } from '../../src/engine/engine.ts';
import { compare } from '../../src/verbs/look/compare.ts';
import { tempDirs } from '../support/temp.ts';
import { misfits } from '../verbs/shapes.ts';
import { ask, cli } from './cli.ts';

const tempDir = tempDirs();
const text = (...lines: string[]): string => `${lines.join('\n')}\n`;
const START = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];
const ANYHOW = { on_modified: 'use_current', on_deleted: 'skip', on_environment: 'continue' } as const;

/** A try is known by its directory. */
const tries = defineTask(
  'try',
  async (task) => {
    await task.files.write('shared.txt', 'both\n');
    if ((await task.waitFor('user_input', { prompt: 'on?' })) === 'stop') return;
    await task.step('try', async () => {});
    const way = (await task.files.read('way.txt'))!.toString().trim();
    const put = (path: string, change: Record<string, string>) =>
      task.files.edit(path, (old) =>
        old
          .split('\n')
          .map((line) => change[line] ?? line)
          .join('\n'),
      );
    await put('merges.txt', way === 'a' ? { 1: 'one' } : { 9: 'nine' });
    await put('conflict.txt', { 5: way });
    await put('same.txt', { 5: 'five' });
    await task.files.write(`only-${way}.txt`, `${way}\n`);
  },
  { version: '1' },
);

test('two forks: where they parted, what each did, what would merge', async () => {
  const dir = tempDir();
  for (const name of ['merges.txt', 'conflict.txt', 'same.txt'])
    writeFileSync(join(dir, name), text(...START));
  writeFileSync(join(dir, 'way.txt'), 'a\n');
  const engine = await openEngine({ project_dir: dir, workspace: true, signals: false, tasks: [tries] });
  const { id, outcome } = await engine.start(tries, undefined);
  await expect.poll(() => engine.state(id)).toMatchObject({ status: 'waiting' });
  await engine.pause(id);
  await outcome;
  const at = (await engine.checkpoints.listCheckpoints(id)).at(-1)!.id;
  const other = await engine.fork(at, { working_dir: join(tempDir(), 'b') });
  writeFileSync(join((await engine.reader.view(other.id)).working_dir, 'way.txt'), 'b\n');
  for (const task of [id, other.id]) {
    const run = await engine.resume(task, ANYHOW);
    await expect.poll(() => engine.waits(task)).toHaveLength(1);
    await engine.answer(task, 'go');
    await run.outcome;
  }
  await engine.close();
  const data = await ask<Record<string, unknown>>(dir, 'compare', id, other.id);
  expect(misfits(data, compare.data)).toEqual([]);
  expect(data).toMatchObject({
    ancestor: { task: id, checkpoint: at },
    a: { task: id, status: 'completed', files: 4, added: 4, removed: 3 },
    b: { task: other.id, status: 'completed', files: 4, added: 4, removed: 3 },
    same: ['same.txt'],
    only_a: ['only-a.txt'],
    only_b: ['only-b.txt'],
    differ: [
      { path: 'conflict.txt', merge: 'conflict' },
      { path: 'merges.txt', merge: 'clean' },
    ],
  });
  const { out } = await cli(dir, ['compare', id, other.id, '--patch']);
  expect(out).toMatch(/^They parted at \w+-\d+; since then:\nA .* 4 files {2}\+4 −3\nB /);
  expect(out).toContain('  merges.txt  can be merged\n    A  +1 −1\n');
  const itself = await ask<Record<string, unknown>>(dir, 'compare', id, id);
  expect(itself).toMatchObject({ same: [], differ: [], only_a: [], only_b: [] });
});
