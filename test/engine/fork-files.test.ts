/** Files of forks that work elsewhere: put there from the checkpoint, and from then on captured and put back there. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { TaskContext } from '../../src/engine/api/context.ts';
import { defineTask } from '../../src/engine/api/definition.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { tempDirs } from '../support/temp.ts';
import { filesIn, git, put } from '../workspace/ground.ts';
import { commitAll, newRepository } from './file-world.ts';
import { untilStatus } from './letters.ts';
import { onEachStore, type Store } from './stores.ts';

const tempDir = tempDirs();
const changes = { dangerous: 'file_change' } as const;

/** Changes files, is forked at `target`, goes on, and waits for an answer. */
const works = defineTask(
  'works',
  async (task: TaskContext, dir: string) => {
    await task.step(
      'prepare',
      () => {
        put(dir, 'tracked.txt', 'changed by the task');
        put(dir, 'made/new.bin', Uint8Array.from([0, 255, 13, 10]), 0o755);
        symlinkSync('new.bin', join(dir, 'made/link'));
        mkdirSync(join(dir, 'made/empty'));
        rmSync(join(dir, 'gone.txt'));
      },
      changes,
    );
    await task.waitFor('user_input', { prompt: 'shall I?' });
    await task.files.write('tracked.txt', 'written after the question');
    await task.shell('pwd > where.txt');
    await task.waitFor('user_input', { prompt: 'done?' });
  },
  { version: '1' },
);

async function atQuestion(store: Store): Promise<{ engine: Engine; parent: string; checkpoint: string }> {
  newRepository(store.dir, { 'tracked.txt': 'start', 'gone.txt': 'start', 'src/same.txt': 'same' });
  const engine = await store.open({ workspace: true, tasks: [works] });
  const { id: parent, outcome } = await engine.start(works, store.dir);
  await untilStatus(engine, parent, 'waiting');
  await engine.pause(parent);
  await outcome;
  const { id: checkpoint } = (await engine.checkpoints.listCheckpoints(parent)).at(-1)!;
  return { engine, parent, checkpoint };
}

async function answerUntilAsked(engine: Engine, id: string): Promise<void> {
  const { outcome } = await engine.resume(id);
  await untilStatus(engine, id, 'waiting');
  await engine.answer(id, 'yes');
  await expect.poll(async () => (await engine.waits(id))[0]?.prompt).toBe('done?');
  await engine.pause(id);
  await outcome;
}

onEachStore((fresh) => {
  test('a fork works on files of its own, and what it does to them is undone there', async () => {
    const store = await fresh();
    const { engine, parent, checkpoint } = await atQuestion(store);
    const before = filesIn(store.dir);
    const elsewhere = join(tempDir(), 'not/there/yet');
    const fork = await engine.fork(checkpoint, { working_dir: elsewhere });
    expect(filesIn(elsewhere)).toEqual(before);
    await answerUntilAsked(engine, fork.id);
    expect(readFileSync(join(elsewhere, 'where.txt'), 'utf8')).toBe(`${elsewhere}\n`);
    expect(readFileSync(join(elsewhere, 'tracked.txt'), 'utf8')).toBe('written after the question');
    expect(filesIn(store.dir)).toEqual(before);
    put(store.dir, 'mine.txt', 'a person');
    put(elsewhere, 'mine.txt', 'a person');
    const { files } = await engine.rollback(fork.checkpoint);
    expect(files).toEqual(['tracked.txt', 'where.txt']);
    rmSync(join(elsewhere, 'mine.txt'));
    expect(filesIn(elsewhere)).toEqual(before);
    await engine.redo(fork.id);
    expect(existsSync(join(elsewhere, 'where.txt'))).toBe(true);
    await answerUntilAsked(engine, parent);
    expect(readFileSync(join(store.dir, 'where.txt'), 'utf8')).toBe(`${store.dir}\n`);
  });

  test('an engine of that directory goes on with it, whatever became of the repository it comes from', async () => {
    const store = await fresh();
    const { engine, checkpoint } = await atQuestion(store);
    const elsewhere = tempDir();
    const fork = await engine.fork(checkpoint, { working_dir: elsewhere });
    const before = filesIn(elsewhere);
    rmSync(join(store.dir, '.git'), { recursive: true });
    const there = await store.open({
      project_dir: elsewhere,
      storage: engine.storage,
      workspace: true,
      tasks: [works],
    });
    await answerUntilAsked(there, fork.id);
    await there.rollback(fork.checkpoint);
    expect(filesIn(elsewhere)).toEqual(before);
  });

  test('into a new worktree; what is there and nobody else has is never touched', async () => {
    const store = await fresh();
    const { engine, checkpoint } = await atQuestion(store);
    const before = filesIn(store.dir);
    const worktree = join(tempDir(), 'worktree');
    git(store.dir, 'worktree', 'add', '-q', '--detach', worktree);
    put(worktree, 'mine.txt', 'a person');
    const there = filesIn(worktree);
    const into = () => engine.fork(checkpoint, { working_dir: worktree });
    const refusal = { code: 'WORKSPACE_UNSAFE', data: { files: ['mine.txt'] } };
    await expect(into()).rejects.toMatchObject(refusal);
    expect(filesIn(worktree)).toEqual(there);
    rmSync(join(worktree, 'mine.txt'));
    writeFileSync(join(worktree, 'tracked.txt'), 'changed, and not committed');
    await expect(into()).rejects.toMatchObject({ data: { files: ['tracked.txt'] } });
    writeFileSync(join(worktree, 'tracked.txt'), 'start');
    chmodSync(join(worktree, 'tracked.txt'), 0o644);
    await into();
    expect(filesIn(worktree)).toEqual(before);
    expect(await engine.storage.list('restores')).toEqual([]);
  });

  test('not into the work tree of another project, however clean', async () => {
    const store = await fresh();
    const { engine, checkpoint } = await atQuestion(store);
    const other = tempDir();
    newRepository(other, { 'src/main.c': 'another project', 'tracked.txt': 'of its own' });
    const before = filesIn(other);
    await expect(engine.fork(checkpoint, { working_dir: other })).rejects.toMatchObject({
      code: 'WORKSPACE_UNSAFE',
      data: { files: ['src/main.c', 'tracked.txt'] },
    });
    expect(filesIn(other)).toEqual(before);
  });

  test('what a fork in a worktree commits is its own, there', async () => {
    const store = await fresh();
    const { engine, checkpoint } = await atQuestion(store);
    const worktree = join(tempDir(), 'worktree');
    git(store.dir, 'worktree', 'add', '-q', '-b', 'another-way', worktree);
    git(store.dir, 'config', 'user.name', 'Ada');
    git(store.dir, 'config', 'user.email', 'ada@example.com');
    const commits = defineTask(
      'works',
      async (task: TaskContext, _dir: string) => {
        await task.step('prepare', () => {}, changes);
        await task.waitFor('user_input', { prompt: 'shall I?' });
        await task.files.write('tracked.txt', 'the fork');
        return task.commit('Another way');
      },
      { version: '1' },
    );
    const elsewhere = await store.open({ workspace: true, storage: engine.storage, tasks: [commits] });
    const fork = await elsewhere.fork(checkpoint, { working_dir: worktree });
    const before = git(store.dir, 'rev-parse', 'HEAD');
    const { result } = await elsewhere.resume(fork.id);
    await untilStatus(elsewhere, fork.id, 'waiting');
    await elsewhere.answer(fork.id, 'yes');
    await result;
    expect(git(store.dir, 'rev-parse', 'HEAD')).toBe(before);
    expect(git(worktree, 'show', 'another-way:tracked.txt')).toBe('the fork');
  });

  test('a task that is started elsewhere has its files there', async () => {
    const store = await fresh();
    const elsewhere = tempDir();
    for (const dir of [store.dir, elsewhere]) put(dir, 'a.txt', 'start');
    const engine = await store.open({ workspace: true });
    let target = '';
    const writes = defineTask('writes', async (task) => {
      target = await task.checkpoint();
      await task.files.write('a.txt', 'written');
      put(store.dir, 'a.txt', 'somebody else, in the project');
      throw new Error('stop');
    });
    const { outcome } = await engine.start(writes, undefined, { working_dir: elsewhere });
    await outcome;
    expect(readFileSync(join(elsewhere, 'a.txt'), 'utf8')).toBe('written');
    expect((await engine.rollback(target)).files).toEqual(['a.txt']);
    expect(readFileSync(join(elsewhere, 'a.txt'), 'utf8')).toBe('start');
    expect(readFileSync(join(store.dir, 'a.txt'), 'utf8')).toBe('somebody else, in the project');
  });

  test('a fork into a part of the workspace works on the files that are there', async () => {
    const store = await fresh();
    const { engine, checkpoint } = await atQuestion(store);
    commitAll(store.dir);
    const before = filesIn(store.dir);
    const fork = await engine.fork(checkpoint, { working_dir: 'src' });
    expect(filesIn(store.dir)).toEqual(before);
    const record = (await engine.checkpoints.loadCheckpoint(fork.checkpoint))!;
    expect(record.snapshot).toBe((await engine.checkpoints.loadCheckpoint(checkpoint))!.snapshot);
  });
});
