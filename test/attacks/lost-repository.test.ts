/** A command that deletes the repository: what the store has is put back all the same, and the rest is named. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defineTask } from '../../src/engine/definition.ts';
import { openEngine } from '../../src/engine/engine.ts';
import { newRepository } from '../engine/file-world.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();

test.each([false, true])('rm -rf .git, undone by another engine: %s', async (another) => {
  const dir = join(tempDir(), 'project');
  mkdirSync(dir);
  newRepository(dir, { 'tracked.txt': 'tracked\n' });
  const text = (path: string) => readFileSync(join(dir, path), 'utf8');
  let engine = await openEngine({ project_dir: dir, workspace: true });
  const definition = defineTask('works', async (task) => {
    await task.files.write('own.txt', 'first\n');
    await task.shell('rm -rf .git; echo x > tracked.txt; echo x > own.txt; echo x > new.txt');
  });
  const { id, outcome } = await engine.start(definition, undefined);
  await outcome;
  if (another) {
    await engine.close();
    engine = await openEngine({ project_dir: dir, workspace: true });
  }
  const result = await engine.undo(id);
  expect(existsSync(join(dir, 'new.txt'))).toBe(false);
  expect(existsSync(join(dir, 'own.txt'))).toBe(false);
  expect(result.files).toEqual(['new.txt', 'own.txt']);
  expect(result.notes.left).toEqual([{ path: 'tracked.txt', why: 'content_missing' }]);
  expect(text('tracked.txt')).toBe('x\n');
  await engine.close();
});
