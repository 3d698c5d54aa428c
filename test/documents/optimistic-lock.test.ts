/** Optimistic locking, as the documents write it. */
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, expectTypeOf, test } from 'vitest';
import { type FileVersion, OptimisticLock } from '../../src/index.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
let root: string;
let before: string;

beforeEach(() => {
  before = process.cwd();
  root = tempDir();
  process.chdir(root);
});
afterEach(() => process.chdir(before));

test('new OptimisticLock() is for the files of the working directory', async () => {
  writeFileSync('a.txt', 'one');
  const lock = new OptimisticLock();
  const version = await lock.acquire('a.txt');
  expect(version).toEqual({
    path: 'a.txt',
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    mtime: statSync('a.txt').mtimeMs,
  });
  expectTypeOf(version.mtime).toEqualTypeOf<number>();
  expect(await lock.checkAndCommit('a.txt', 'two')).toMatchObject({ success: true });
  writeFileSync('a.txt', 'outside');
  const noted: FileVersion = await lock.acquire('a.txt');
  writeFileSync('a.txt', 'outside again');
  expect(await lock.checkAndCommit('a.txt', 'three')).toMatchObject({
    success: false,
    reason: 'CONFLICT',
    originalVersion: noted,
    currentHash: expect.any(String),
  });
  await lock.close();
});

test('it is opened at its first use, and then says what is wrong', async () => {
  const lock = new OptimisticLock('workspace');
  expect(readdirSync(root)).toEqual([]);
  await expect(lock.acquire('a.txt')).rejects.toMatchObject({
    code: 'WORKSPACE_UNSAFE',
    message: expect.stringContaining(join(root, 'workspace')),
  });
  mkdirSync('workspace');
  expect(await lock.acquire('a.txt')).toEqual({ path: 'a.txt', hash: null, mtime: 0 });
  await lock.close();
  rmSync('workspace', { recursive: true });
});

test('closing one that was never used makes nothing', async () => {
  await new OptimisticLock().close();
  expect(readdirSync(root)).toEqual([]);
});
