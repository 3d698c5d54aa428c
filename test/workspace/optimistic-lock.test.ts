import { hash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { setIoHook } from '../../src/system/io.ts';
import { type FileLocks, openFileLocks } from '../../src/workspace/editing/file-locks.ts';
import { OptimisticLock } from '../../src/workspace/editing/optimistic-lock.ts';
import { expectCode } from '../contract/support.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
let root: string;
let shared: FileLocks;
let lock: OptimisticLock;
const at = (name: string) => join(root, name);

beforeEach(async () => {
  root = realpathSync(tempDir());
  shared = await openFileLocks(root);
  lock = new OptimisticLock(shared);
});

afterEach(() => shared.close());

test('writes over the version that was noted, again and again, and keeps the mode', async () => {
  writeFileSync(at('a.sh'), 'one');
  chmodSync(at('a.sh'), 0o755);
  const noted = await lock.acquire('a.sh');
  expect(noted).toMatchObject({ path: 'a.sh', hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(await lock.checkAndCommit('a.sh', 'two')).toMatchObject({ success: true });
  expect(await lock.checkAndCommit('a.sh', 'three')).toMatchObject({ success: true });
  expect(readFileSync(at('a.sh'), 'utf8')).toBe('three');
  expect(statSync(at('a.sh')).mode & 0o777).toBe(0o755);
});

test('answers with a conflict when somebody else wrote, made or removed the file', async () => {
  writeFileSync(at('a'), 'one');
  writeFileSync(at('c'), 'one');
  const originalVersion = await lock.acquire('a');
  await lock.acquire('b');
  await lock.acquire('c');
  writeFileSync(at('a'), 'outside');
  writeFileSync(at('b'), 'outside');
  rmSync(at('c'));
  const answer = await lock.checkAndCommit('a', 'mine');
  expect(answer).toEqual({
    success: false,
    reason: 'CONFLICT',
    originalVersion,
    currentHash: expect.any(String),
  });
  expect(await lock.checkAndCommit('b', 'mine')).toMatchObject({
    success: false,
    originalVersion: { hash: null },
  });
  expect(await lock.checkAndCommit('c', 'mine')).toMatchObject({ success: false, currentHash: null });
  expect(readFileSync(at('a'), 'utf8')).toBe('outside');
  expect(readFileSync(at('b'), 'utf8')).toBe('outside');
});

test('makes new files, directories included, and removes files', async () => {
  await lock.acquire('deep/er/a.ts');
  expect(await lock.checkAndCommit('deep/er/a.ts', 'new')).toMatchObject({ success: true });
  const plain = join(tempDir(), 'plain');
  mkdirSync(plain);
  writeFileSync(join(plain, 'a.ts'), '');
  expect(statSync(at('deep')).mode).toBe(statSync(plain).mode);
  expect(statSync(at('deep/er/a.ts')).mode).toBe(statSync(join(plain, 'a.ts')).mode);
  expect(await lock.checkAndCommit('deep/er/a.ts', null)).toMatchObject({
    success: true,
    version: { hash: null },
  });
  expect(await lock.checkAndCommit('deep/er/a.ts', 'again')).toMatchObject({ success: true });
});

test('knows a file by whatever way it is named', async () => {
  mkdirSync(at('src'));
  symlinkSync('src', at('link'));
  writeFileSync(at('src/a.ts'), 'one');
  expect((await lock.acquire('link/../link/a.ts')).path).toBe('src/a.ts');
  expect(await lock.checkAndCommit(at('src/a.ts'), 'two')).toMatchObject({ success: true });
  writeFileSync(at('Z\u0065\u0301.txt'), 'decomposed');
  expect((await lock.acquire('Z\u0065\u0301.txt')).path).toBe('Z\u00e9.txt');
  expect(await lock.checkAndCommit('Z\u0065\u0301.txt', 'written')).toMatchObject({ success: true });
  expect(readFileSync(at('Z\u0065\u0301.txt'), 'utf8')).toBe('written');
});

test('leaves everything outside alone, and what is no file', async () => {
  const outside = tempDir();
  writeFileSync(join(outside, 'theirs'), 'theirs');
  symlinkSync(outside, at('out'));
  symlinkSync(join(outside, 'nothing'), at('dangling'));
  mkdirSync(at('dir'));
  for (const path of ['../x', '/etc/passwd', 'out/theirs', 'out/new', 'dir', 'dangling']) {
    await expectCode(lock.acquire(path), 'WORKSPACE_UNSAFE');
  }
  await expectCode(lock.checkAndCommit('never-noted', 'x'), 'USAGE');
});

test('of many that saw the same version one writes, and the others are told', async () => {
  writeFileSync(at('a'), '0');
  const others = Array.from({ length: 6 }, () => new OptimisticLock(shared));
  for (const other of others) await other.acquire('a');
  const answers = await Promise.all(others.map((other, i) => other.checkAndCommit('a', `${i + 1}`)));
  expect(answers.filter(({ success }) => success)).toHaveLength(1);
});

test('what a writer that died was about to write is not written by another', async () => {
  writeFileSync(shared.stage, 'left over, and longer than what is written next');
  chmodSync(shared.stage, 0o400);
  await lock.acquire('a');
  expect(await lock.checkAndCommit('a', 'one')).toMatchObject({ success: true });
  expect(readFileSync(at('a'), 'utf8')).toBe('one');
  expect(readdirSync(root).sort()).toEqual(['.vibe-engine', 'a']);
  expect(existsSync(shared.stage)).toBe(false);
});

test('a lock that a program opens for itself excludes all others', async () => {
  writeFileSync(at('a'), '0');
  const own = await OptimisticLock.open(root);
  await own.acquire('a');
  await lock.acquire('a');
  const answers = await Promise.all([own.checkAndCommit('a', '1'), lock.checkAndCommit('a', '2')]);
  expect(answers.filter(({ success }) => success)).toHaveLength(1);
  await own.close();
  await expectCode(OptimisticLock.open(at('nowhere')), 'WORKSPACE_UNSAFE');
});

test.each([
  ['while the new content goes to the disk', ['fsync']],
  ['after the file was read for the last time', ['fsync', 'read', 'stat']],
])('what an editor saves %s is not written over', async (_, calls) => {
  writeFileSync(at('a'), 'one');
  await lock.acquire('a');
  const ahead = [...calls];
  setIoHook(({ op }) => {
    if (op === ahead[0]) ahead.shift();
    if (ahead.length > 0) return undefined;
    setIoHook(undefined);
    writeFileSync(at('a'), 'saved by an editor');
    return undefined;
  });
  const answer = await lock.checkAndCommit('a', 'two').finally(() => setIoHook(undefined));
  expect(answer).toMatchObject({ success: false, currentHash: hash('sha256', 'saved by an editor') });
  expect(readFileSync(at('a'), 'utf8')).toBe('saved by an editor');
  expect(existsSync(shared.stage)).toBe(false);
});

test('the function called right before the write can stop it', async () => {
  writeFileSync(at('a'), 'one');
  await lock.acquire('a');
  const refusal = new Error('not any more');
  const stopped = lock.checkAndCommit('a', 'two', () => {
    throw refusal;
  });
  await expect(stopped).rejects.toBe(refusal);
  expect(readFileSync(at('a'), 'utf8')).toBe('one');
  expect(existsSync(shared.stage)).toBe(false);
});

test.each([
  ['written over', 'mine'],
  ['removed', null],
])('what an editor writes while the file is %s is there afterwards', async (_, content) => {
  writeFileSync(at('a'), 'one');
  await lock.acquire('a');
  const last = content === null ? 'unlink' : 'rename';
  let saved = false;
  setIoHook(({ op, path }) => {
    // It opened the file before it lost its name, and writes after that.
    if (op === last && path.endsWith('/a') && !saved) {
      saved = true;
      writeFileSync(at('a'), 'an editor');
    }
    return undefined;
  });
  const answer = await lock.checkAndCommit('a', content).finally(() => setIoHook(undefined));
  expect(saved).toBe(true);
  expect(answer).toMatchObject({
    success: false,
    reason: 'CONFLICT',
    currentHash: hash('sha256', 'an editor'),
  });
  expect(readFileSync(at('a'), 'utf8')).toBe('an editor');
  expect(statSync(at('a')).nlink).toBe(1);
});

test('a file that somebody makes at the last moment is not written over', async () => {
  await lock.acquire('new');
  setIoHook(({ op, path }) => {
    if ((op === 'link' || op === 'rename') && path.endsWith('/new')) writeFileSync(at('new'), 'theirs');
    return undefined;
  });
  const answer = await lock.checkAndCommit('new', 'mine').finally(() => setIoHook(undefined));
  expect(answer.success).toBe(false);
  expect(readFileSync(at('new'), 'utf8')).toBe('theirs');
});
