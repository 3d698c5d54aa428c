/** What is recommended after drift can be done: starting a task again, and rebasing it. */
import { expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import type { Question } from '../../src/engine/api/prompter.ts';
import { groundAt, pictureOf, pushed } from '../drift/ground.ts';
import { tempDirs } from '../support/temp.ts';
import { editing, pausedTask, resolutions, TEN, withEngine } from './drift-world.ts';
import { untilStatus } from './letters.ts';

const tempDir = tempDirs();

test('a resume that is answered with restart starts the task again, with its input and origin', async () => {
  const ground = groundAt(tempDir());
  const told: string[] = [];
  const notify = (lines: readonly string[]) => void told.push(...lines);
  await withEngine(ground, { notify }, async (engine) => {
    const { id, outcome } = await engine.start(editing, 'mine', { origin: { kind: 'file', path: 'x.ts' } });
    await untilStatus(engine, id, 'waiting');
    await engine.pause(id);
    await outcome;
    // Nothing is new: then it is resumed.
    const resumed = await engine.resume(id, { on_upstream: 'restart' });
    expect(resumed.id).toBe(id);
    await untilStatus(engine, id, 'waiting');
    await engine.pause(id);
    await resumed.outcome;

    pushed(ground, 'theirs', { 'a.txt': 'one\ntheirs\n' });
    const again = await engine.resume(id, { on_upstream: 'restart' });
    expect(again.id).not.toBe(id);
    expect(told).toContain(`Task "editing" was started again as ${again.id}; the old one is cancelled.`);
    expect((await engine.state(id))!.status).toBe('cancelled');
    expect(await resolutions(engine, id)).toEqual(['upstream_change task_restarted']);
    await untilStatus(engine, again.id, 'waiting');
    // Its own line was taken back, and the branch moved: it is there once, on what upstream has.
    expect(ground.work.read('a.txt')).toBe('one\ntheirs\nmine\n');
    expect(told).toContain('The old task’s changes to files were undone: a.txt.');
    expect(await engine.origin(again.id)).toEqual({ kind: 'file', path: 'x.ts' });
  });
});

test('so do a retry and a resume from a checkpoint; the question offers it and says what to answer', async () => {
  const ground = groundAt(tempDir());
  const failing = defineTask('failing', async (task) => {
    await task.files.write('a.txt', 'mine\n');
    await task.progress(10);
    await task.step('fail', () => Promise.reject(new Error('no')));
  });
  const asked: Question[] = [];
  const ask = async (question: Question) => {
    asked.push(question);
    return 'restart';
  };
  await withEngine(ground, { tasks: [failing], prompter: { ask } }, async (engine) => {
    const first = await engine.start(failing, undefined);
    await first.outcome;
    pushed(ground, 'theirs', { 'a.txt': 'theirs\n' });
    const second = await engine.retry(first.id, { on_upstream: 'restart' });
    await second.outcome;
    expect((await engine.state(first.id))!.status).toBe('cancelled');
    pushed(ground, 'theirs', { 'a.txt': 'theirs again\n' });
    // The newest: what the task wrote is there still, and conflicts.
    const checkpoint = (await engine.checkpoints.listCheckpoints(second.id)).at(-1);
    const third = await engine.resumeFrom(checkpoint!.id, { on_modified: 'use_current' });
    await third.outcome;
    expect(new Set([first.id, second.id, third.id]).size).toBe(3);
    expect((await engine.state(second.id))!.status).toBe('cancelled');
    const upstream = asked.filter(({ kind }) => kind === 'upstream');
    expect(upstream).toMatchObject([{ options: ['ignore', 'restart', 'abort'] }]);
    expect(upstream[0]!.message).toContain('Recommended: restart (--on-upstream restart). Only ');
  });
});

test('a task that is over can be started again, and stays what it was', async () => {
  const ground = groundAt(tempDir());
  await withEngine(ground, {}, async (engine) => {
    const { id, outcome } = await engine.start(editing, 'mine');
    await engine.answer(id, 'done');
    await outcome;
    const again = await engine.restart(id);
    await engine.answer(again.id, 'done again');
    expect(await again.outcome).toEqual({ status: 'completed', output: 'done again' });
    expect((await engine.state(id))!.status).toBe('completed');
    expect(ground.work.read('a.txt')).toBe('one\nmine\n');
    // Where its files are to stay, it adds its line to them once more.
    const third = await engine.restart(again.id, { undo: false });
    await untilStatus(engine, third.id, 'waiting');
    expect(ground.work.read('a.txt')).toBe('one\nmine\nmine\n');
  });
});

test('a restart that cannot move to upstream changes nothing, and says what to type', async () => {
  const ground = groundAt(tempDir());
  const { work } = ground;
  await withEngine(ground, {}, async (engine) => {
    const id = await pausedTask(engine);
    work.put('b.txt', 'a person’s\n');
    pushed(ground, 'theirs', { 'a.txt': 'one\ntheirs\n', 'b.txt': 'theirs\n' });
    const before = work.read('a.txt');
    for (const restart of [
      () => engine.restart(id, { upstream: true }),
      () => engine.resume(id, { on_upstream: 'restart' }),
    ])
      await expect(restart()).rejects.toMatchObject({
        code: 'REBASE_REFUSED',
        message: expect.stringContaining('The task was not started again. Not rebased: '),
        hint: expect.stringContaining(
          `vibe-engine undo ${id}; git pull --rebase --autostash; vibe-engine restart ${id}.`,
        ),
      });
    expect([work.read('a.txt'), work.read('b.txt')]).toEqual([before, 'a person’s\n']);
    expect((await engine.state(id))!.status).toBe('paused');
    expect(await resolutions(engine, id)).toEqual([]);
  });
});

test('a person’s lines survive a restart; where they cannot be told apart, it asks and changes nothing', async () => {
  const ground = groundAt(tempDir(), { 'a.txt': TEN });
  const { work } = ground;
  await withEngine(ground, {}, async (engine) => {
    const id = await pausedTask(engine);
    work.put('a.txt', `person\n${TEN}mine\n`);
    await expect(engine.restart(id)).rejects.toMatchObject({ code: 'RESTORE_UNANSWERED' });
    expect((await engine.state(id))!.status).toBe('paused');
    const again = await engine.restart(id, { on_modified: 'merge' });
    await untilStatus(engine, again.id, 'waiting');
    expect(work.read('a.txt')).toBe(`person\n${TEN}mine\n`);
  });
});

test('a rebase is shown before it is made, and can be made without tests where that is wanted', async () => {
  const ground = groundAt(tempDir(), { 'a.txt': TEN });
  const { work } = ground;
  await withEngine(ground, {}, async (engine) => {
    const id = await pausedTask(engine);
    const own = work.commit('mine', {});
    pushed(ground, 'more', { 'b.txt': 'b\n' });
    const before = pictureOf(work);
    for (const call of [engine.rebase, engine.previewRebase])
      await expect(call(id)).rejects.toMatchObject({ code: 'REBASE_REFUSED', data: { why: 'no tests' } });
    expect(await engine.previewRebase(id, { without_tests: true })).toMatchObject({
      branch: 'main',
      onto: 'origin/main',
      commits_behind: 1,
      commits: [{ id: own, subject: 'mine' }],
      files: ['b.txt'],
      test_command: null,
    });
    expect(pictureOf(work)).toEqual(before);
    const done = await engine.rebase(id, { without_tests: true });
    expect(done).toMatchObject({ branch: 'main', moved: 1, tested: false, old_head: own });
    expect([work.read('b.txt'), work.read('a.txt')]).toEqual(['b\n', `${TEN}mine\n`]);
    // What it says can be typed to go back.
    work.git('reset', '--quiet', '--keep', done.old_head);
    expect(work.git('rev-parse', 'HEAD')).toBe(own);
  });
});

test('who answers rebase gets one without tests where none are set; by the settings alone none is made', async () => {
  const ground = groundAt(tempDir(), { 'a.txt': TEN });
  await withEngine(ground, { config: { recovery: { on_upstream: 'rebase' } } }, async (engine) => {
    const id = await pausedTask(engine);
    const commit = pushed(ground, 'more', { 'b.txt': 'b\n' });
    await expect(engine.resume(id)).rejects.toMatchObject({ data: { why: 'no tests' } });
    await engine.resume(id, { on_upstream: 'rebase' });
    expect(ground.work.git('rev-parse', 'HEAD')).toBe(commit);
    expect(await resolutions(engine, id)).toEqual(['upstream_change rebased']);
  });
});

test('what the tests said is in the error', async () => {
  const ground = groundAt(tempDir(), { 'a.txt': TEN });
  const config = { drift: { test_command: 'echo "3 of 4 failed"; false' } };
  await withEngine(ground, { config }, async (engine) => {
    const id = await pausedTask(engine);
    pushed(ground, 'more', { 'b.txt': 'b\n' });
    await expect(engine.rebase(id)).rejects.toMatchObject({
      message: 'Not rebased: the tests fail on the result. Their last output: 3 of 4 failed',
      hint: 'Everything is as it was. Rebase manually (git pull --rebase --autostash), and fix what the tests report.',
    });
  });
});
