/** A command that deletes the repository: every file is put back all the same, and that the repository is gone is said. */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import { openEngine } from '../../src/engine/engine.ts';
import { newRepository } from '../engine/file-world.ts';
import { tempDirs } from '../support/temp.ts';
import { git } from '../workspace/ground.ts';

const tempDir = tempDirs();
const COMMAND = 'echo x > tracked.txt; rm gone.txt; echo x > own.txt; echo x > new.txt';
const deletes = defineTask('works', async (task) => {
  await task.files.write('own.txt', 'first\n');
  await task.shell(`rm -rf .git; ${COMMAND}`);
});

const open = (dir: string) => openEngine({ project_dir: dir, workspace: true });

function project(): { dir: string; text: (path: string) => string } {
  const dir = join(tempDir(), 'project');
  mkdirSync(dir);
  newRepository(dir, { 'tracked.txt': 'tracked\n', 'gone.txt': 'gone\n' });
  return { dir, text: (path) => readFileSync(join(dir, path), 'utf8') };
}

test.each([
  ['loose', false],
  ['loose', true],
  ['packed', false],
  ['packed', true],
])('rm -rf .git with %s objects, undone by another engine: %s', async (how, another) => {
  const { dir, text } = project();
  if (how === 'packed') git(dir, 'gc', '-q', '--prune=now');
  let engine = await open(dir);
  const { id, outcome } = await engine.start(deletes, undefined);
  await outcome;
  if (another) {
    await engine.close();
    engine = await open(dir);
  }
  const result = await engine.undo(id);
  expect(result.files).toEqual(['gone.txt', 'new.txt', 'own.txt', 'tracked.txt']);
  expect(result.notes.left).toEqual([{ path: '.git', why: 'not_captured' }]);
  expect(text('tracked.txt')).toBe('tracked\n');
  expect(text('gone.txt')).toBe('gone\n');
  for (const path of ['new.txt', 'own.txt']) expect(existsSync(join(dir, path))).toBe(false);
  await engine.close();
});

test('what git packs again between two tasks is there too', async () => {
  const { dir, text } = project();
  let engine = await open(dir);
  const first = defineTask('first', (task) => task.shell('git gc -q --prune=now'));
  await (await engine.start(first, undefined)).outcome;
  await engine.close();
  engine = await open(dir);
  const { id, outcome } = await engine.start(deletes, undefined);
  await outcome;
  await engine.undo(id);
  expect(text('tracked.txt')).toBe('tracked\n');
  await engine.close();
});

test('what can be had from nowhere is named, and the rest is put back', async () => {
  const { dir, text } = project();
  const engine = await open(dir);
  const { id, outcome } = await engine.start(deletes, undefined);
  await outcome;
  rmSync(join(dir, '.vibe-engine/.workspace/git'), { recursive: true });
  const result = await engine.undo(id);
  expect(result.files).toEqual(['new.txt', 'own.txt']);
  expect(result.notes.left).toEqual([
    { path: '.git', why: 'not_captured' },
    { path: 'gone.txt', why: 'content_missing' },
    { path: 'tracked.txt', why: 'content_missing' },
  ]);
  expect(text('tracked.txt')).toBe('x\n');
  await engine.close();
});

test('our names for its objects are nothing that git sees', async () => {
  const { dir } = project();
  const engine = await open(dir);
  await (
    await engine.start(
      defineTask('runs', (task) => task.shell('true')),
      undefined,
    )
  ).outcome;
  await engine.close();
  expect(existsSync(join(dir, '.vibe-engine/.workspace/git/HEAD'))).toBe(true);
  expect(git(dir, 'status', '--porcelain', '--ignored=no')).toBe('');
  expect(git(dir, 'fsck', '--no-dangling')).toBe('');
});
