/** What commands say of a run and of going back: whole, once, and nothing that is not so. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { newRepository } from '../engine/file-world.ts';
import { tempDirs } from '../support/temp.ts';
import { ask, cli, quiet } from './cli.ts';

const TASK = `import { existsSync, writeFileSync } from 'node:fs';
import { defineTask } from 'vibe-engine';
export default defineTask('work', async (task, input) => {
  await task.step('bytes', () => Buffer.from('hello'));
  await task.step('mixed', () => ({ at: new Date(0), some: new Uint8Array(3) }));
  await task.files.edit('a.txt', (old) => old + 'task\\n');
  if (input === 'conflict')
    try {
      await task.files.edit('a.txt', () => { writeFileSync('a.txt', 'others\\n'); return 'task\\n'; });
    } catch (cause) {
      throw new Error('no luck', { cause });
    }
  await task.step('end', () => { if (!existsSync('ok')) throw new Error('not yet'); });
  return new Uint8Array(4);
});
`;

const tempDir = tempDirs();
let dir = '';
beforeEach(() => {
  dir = tempDir();
  newRepository(dir, { 'a.txt': 'a\n', 'task.mjs': TASK });
  appendFileSync(join(dir, 'a.txt'), 'mine\n');
});

test('what is restored for a retry is not said to be left uncommitted by others', async () => {
  await quiet(dir, ['run', 'task.mjs']);
  writeFileSync(join(dir, 'ok'), '');
  const { err, out } = await cli(dir, ['retry', 'work', '--from-step', 'bytes', '--yes']);
  expect(err).toContain('Undone first, because these steps run again: a.txt.');
  expect(err).toContain('Uncommitted, and not by the task: ok.');
  expect(out).toContain('"<4 B>"');
});

test('bytes are shown as how many they are', async () => {
  await quiet(dir, ['run', 'task.mjs']);
  const { out } = await cli(dir, ['show', 'work']);
  expect(out).toMatch(/bytes .* <5 B>/);
  expect(out).toMatch(/mixed .*at: 1970-01-01T00:00:00\.000Z, some: <3 B>/);
  expect((await cli(dir, ['timeline', 'work'])).out).not.toContain('$ve');
});

test('a run that ended in a conflict says where both versions are', async () => {
  const { err, out } = await quiet(dir, ['run', 'task.mjs', '--input', '"conflict"']);
  expect(err + out).toMatch(/no luck/);
  expect(err + out).toMatch(/Both versions are in \S+a\.txt: resolve the conflict there/);
});

test('a rollback to where the task is changes nothing, and leaves nothing to redo', async () => {
  await quiet(dir, ['run', 'task.mjs']);
  const { checkpoints } = await ask<{ checkpoints: { short: string; step_name: string }[] }>(
    dir,
    'checkpoints',
    'list',
    'work',
  );
  const { short } = checkpoints.find(({ step_name }) => step_name === 'mixed')!;
  expect(await ask(dir, 'rollback', short, '--yes')).toMatchObject({ done: true, files: ['a.txt'] });
  const again = await cli(dir, ['rollback', short, '--yes']);
  expect(again.out).toContain('Nothing changes: the task is already at');
  const redone = await ask<{ more: number }>(dir, 'redo', 'work');
  expect(redone).toMatchObject({ more: 0, status: 'failed' });
  expect((await cli(dir, ['redo', 'work'])).err).toContain('NOTHING_TO_REDO');
});

test('a long command is cut where it says so', async () => {
  const long = `echo ${'x'.repeat(80)}`;
  await quiet(dir, ['exec', '--', 'sh', '-c', long]);
  const { tasks } = await ask<{ tasks: { id: string; name: string }[] }>(dir, 'tasks');
  expect(tasks[0]!.name).toMatch(/^sh -c echo x+…$/);
});

test('doctor counts every checkpoint that it reads, also those that lists leave out', async () => {
  await quiet(dir, ['config', 'set', 'cleanup.max_per_task', '2']);
  await quiet(dir, ['run', 'task.mjs']);
  const { checkpoints } = await ask<{ checkpoints: object[] }>(dir, 'checkpoints', 'list', 'work');
  const { checked } = await ask<{ checked: { checkpoints: number } }>(dir, 'doctor');
  expect(checkpoints).toHaveLength(2);
  expect(checked.checkpoints).toBeGreaterThan(4);
});

test('an undo that nobody can be asked about names all the flags it needs, in one error', async () => {
  await quiet(dir, ['run', 'task.mjs']);
  writeFileSync(join(dir, 'a.txt'), 'a\nmine\nsomebody else\n');
  const mute = await cli(dir, ['undo', 'work']);
  expect([mute.exit, mute.err]).toEqual([
    3,
    expect.stringContaining('--yes --on-modified use_current|use_checkpoint|merge|abort'),
  ]);
  const done = await cli(dir, ['undo', 'work', '--yes', '--on-modified', 'use_checkpoint']);
  expect([done.exit, readFileSync(join(dir, 'a.txt'), 'utf8')]).toEqual([0, 'a\nmine\n']);
});

test('a task that needs what is not here is not started', async () => {
  writeFileSync(
    join(dir, 'needs.mjs'),
    `import { defineTask } from 'vibe-engine';
export default defineTask('needs', () => 1, { env_requirements: { 'env:NOT_SET_HERE': 'set', git: '>=99' } });
`,
  );
  const { exit, err } = await cli(dir, ['run', 'needs.mjs']);
  expect([exit, err]).toEqual([1, expect.stringMatching(/NOT_SET_HERE is not set\. Found git \S+, >=99 is/)]);
  expect((await ask<{ tasks: object[] }>(dir, 'tasks')).tasks).toEqual([]);
});

test('a task in which nothing was said says so', async () => {
  await quiet(dir, ['run', 'task.mjs']);
  expect((await cli(dir, ['conversation', 'work'])).out).toBe('Nothing has been said in it.\n');
});
