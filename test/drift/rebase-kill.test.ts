/** A rebase that dies in the middle is finished or undone by the next process. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { pathsBetween } from '../../src/drift/changes.ts';
import { settleUnfinished } from '../../src/drift/rebase/undo.ts';
import { sweepTempDirs } from '../../src/system/user/temp.ts';
import { unlessFull } from '../support/full.ts';
import { tempDirs } from '../support/temp.ts';
import { dieAt } from './dying-rebase.ts';
import { type Clone, gitOf, groundAt, pictureOf, pushed } from './ground.ts';

const tempDir = tempDirs();
// What a dead process has left is removed by the next one: here by nobody else's.
beforeAll(() => void vi.stubEnv('VIBE_ENGINE_STATE_DIR', tempDir()));
afterAll(() => void vi.unstubAllEnvs());

const TEN = '1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n';

/** Commits, staged and unstaged edits, new files on this side; edits, a new, a moved and a deleted file on the other. */
function prepared(): Clone {
  const ground = groundAt(tempDir(), { 'a.txt': TEN, 'b.txt': TEN, 'gone.txt': TEN, 'moved.txt': TEN });
  const { work } = ground;
  work.commit('mine', { 'mine.txt': 'mine\n' });
  work.put('a.txt', TEN.replace('2', 'staged'));
  work.git('add', 'a.txt');
  work.put('b.txt', TEN.replace('2', 'changed'));
  work.put('new.txt', 'not tracked\n');
  pushed(ground, 'theirs', {
    'a.txt': TEN.replace('9', 'theirs'),
    'b.txt': TEN.replace('9', 'theirs'),
    'gone.txt': null,
    'moved.txt': null,
    'dir/moved.txt': TEN,
    'dir/new.txt': 'theirs\n',
  });
  work.git('fetch', '--quiet');
  return work;
}

/** What is in the files, and where git stands; not when files were written. */
function contentsOf(work: Clone): Record<string, string> {
  const files = Object.entries(pictureOf(work)).filter(([path]) => path.startsWith('worktree '));
  const picture = Object.fromEntries(files.map(([path, thing]) => [path, thing.replace(/ [\d.]+ /, ' ')]));
  return { ...picture, head: work.git('rev-parse', 'HEAD'), staged: work.git('ls-files', '--stage') };
}

describe('a rebase that dies', () => {
  test('at any call that changes the disk is undone, or is whole', async () => {
    const whole = prepared();
    expect(dieAt(whole, 0)).toBeNull();
    const after = { ...contentsOf(whole), head: '' };
    const ends: boolean[] = [];
    // What comes after it is whole is clearing away.
    for (let nth = 1; ends.filter(Boolean).length < unlessFull(1, 3); nth++) {
      const work = prepared();
      const before = contentsOf(work);
      const unfinished = dieAt(work, nth);
      expect(unfinished).not.toBeNull();
      const done = await settleUnfinished(gitOf(work), unfinished!);
      ends.push(done);
      expect(existsSync(join(work.dir, '.git/index.lock')) ? nth : null).toBeNull();
      if (done) expect({ ...contentsOf(work), head: '' }).toEqual(after);
      else expect(contentsOf(work)).toEqual(before);
      expect(work.git('for-each-ref', 'refs/vibe-engine') !== '').toBe(done);
      expect(work.git('fsck', '--strict', '--no-dangling')).toBe('');
      // Again changes nothing.
      const settled = contentsOf(work);
      expect(await settleUnfinished(gitOf(work), unfinished!)).toBe(done);
      expect(contentsOf(work)).toEqual(settled);
    }
    expect(ends.filter((done) => !done).length).toBeGreaterThan(3);
  });

  test('with some files written is undone, but for what somebody has changed since', async () => {
    const work = prepared();
    const git = gitOf(work);
    const before = contentsOf(work);
    const unfinished = dieAt(work, 1)!;
    const changes = await pathsBetween(git, unfinished.work, unfinished.carried);
    expect(changes.length).toBeGreaterThan(4);
    const take = (path: string) => {
      if (work.tries('cat-file', '-e', `${unfinished.carried}:${path}`))
        work.put(path, `${work.git('cat-file', 'blob', `${unfinished.carried}:${path}`)}\n`);
      else work.remove(path);
    };
    for (const { path } of changes.filter((_, index) => index % 2 === 0))
      if (existsSync(join(work.dir, path)) || path.startsWith('dir/')) take(path);
    expect(await settleUnfinished(git, unfinished)).toBe(false);
    expect(contentsOf(work)).toEqual(before);

    for (const { path } of changes) if (path !== 'gone.txt') take(path);
    work.put('b.txt', 'changed since\n');
    expect(await settleUnfinished(git, unfinished)).toBe(false);
    expect(work.read('b.txt')).toBe('changed since\n');
    work.put('b.txt', TEN.replace('2', 'changed'));
    expect(contentsOf(work)).toEqual(before);
  });

  test('is undone when git has ended, which outlives the process that started it', async () => {
    const work = prepared();
    const before = contentsOf(work);
    const unfinished = dieAt(work, 1)!;
    const { writing } = unfinished;
    writeFileSync(writing, '');
    sweepTempDirs(); // As the next command does, whichever that is.
    setTimeout(() => {
      work.put('a.txt', `${work.git('cat-file', 'blob', `${unfinished.carried}:a.txt`)}\n`);
      rmSync(writing);
    }, 300);
    expect(await settleUnfinished(gitOf(work), unfinished)).toBe(false);
    expect(contentsOf(work)).toEqual(before);
  });

  test('is left alone if the branch was moved since', async () => {
    const work = prepared();
    const unfinished = dieAt(work, 1)!;
    rmSync(join(work.dir, '.git/index.lock'), { force: true });
    work.git('reset', '--quiet', '--hard', unfinished.new_head);
    work.commit('on top of it', { 'more.txt': 'more\n' });
    const moved = contentsOf(work);
    expect(await settleUnfinished(gitOf(work), unfinished)).toBe(true);
    expect(contentsOf(work)).toEqual(moved);
    work.git('reset', '--quiet', '--hard', 'origin/main');
    const reset = contentsOf(work);
    expect(await settleUnfinished(gitOf(work), unfinished)).toBe(false);
    expect(contentsOf(work)).toEqual(reset);
  });

  test("leaves a lock of git's own alone", async () => {
    const work = prepared();
    const unfinished = dieAt(work, 1)!;
    await settleUnfinished(gitOf(work), unfinished);
    work.put('.git/index.lock', 'of git');
    await settleUnfinished(gitOf(work), unfinished);
    expect(work.read('.git/index.lock')).toBe('of git');
  });
});
