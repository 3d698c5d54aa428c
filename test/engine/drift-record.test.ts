/** What is kept of drift once a task has ended: every event says what became of it. */
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import type { EngineEvent } from '../../src/engine/api/events.ts';
import type { Engine, EngineOptions } from '../../src/engine/engine.ts';
import { markOf } from '../../src/system/process/alive.ts';
import { dieAt } from '../drift/dying-rebase.ts';
import { type Clone, type Ground, groundAt, pushed } from '../drift/ground.ts';
import { manualClock } from '../support/manual-clock.ts';
import { tempDirs } from '../support/temp.ts';
import { editing, pausedTask, resolutions, TEN, withEngine } from './drift-world.ts';
import { untilStatus } from './letters.ts';

const tempDir = tempDirs();
const DAY = 24 * 60 * 60_000;

/** Waits, then ends as it is told. */
const ending = defineTask('ending', async (task) => {
  await task.files.write('mine.txt', 'mine\n');
  const answer = await task.waitFor('user_input');
  if (answer === 'done') return;
  throw Object.assign(new Error('no more'), { recoverable: answer === 'again' });
});

/** A task that waits, and of which upstream's news is known and undecided. */
async function withPending(
  use: (engine: Engine, id: string, ground: Ground, clock: ReturnType<typeof manualClock>) => Promise<void>,
  options: EngineOptions = {},
): Promise<void> {
  const ground = groundAt(tempDir());
  const clock = manualClock(new Date('2026-01-01T00:00:00Z'));
  await withEngine(ground, { clock, tasks: [ending], ...options }, async (engine, heard) => {
    const { id } = await engine.start(ending, undefined);
    await untilStatus(engine, id, 'waiting');
    pushed(ground, 'elsewhere', { 'b.txt': 'b\n' });
    clock.advance(10 * 60_000);
    await expect.poll(() => heard.find(isDrift)).toMatchObject({ level: 'low' });
    expect(await resolutions(engine, id)).toEqual(['upstream_change pending']);
    await use(engine, id, ground, clock);
  });
}

const isDrift = ({ type }: EngineEvent) => type === 'drift';

test('a task that completes without anything done about it has ignored it', () =>
  withPending(async (engine, id) => {
    await engine.answer(id, 'done');
    await untilStatus(engine, id, 'completed');
    expect(await resolutions(engine, id)).toEqual(['upstream_change ignored']);
    await expect
      .poll(() => engine.storage.load('tasks', `${id}/versions`))
      .toMatchObject({ drift_events: [{ resolution: 'ignored', resolved_at: expect.any(String) }] });
  }));

test('what a person has merged before the task completes is user_handled', () =>
  withPending(async (engine, id, { work }) => {
    work.git('pull', '--quiet');
    await engine.answer(id, 'done');
    await untilStatus(engine, id, 'completed');
    await expect
      .poll(() => resolutions(engine, id))
      .toEqual(['upstream_change user_handled', 'head_moved user_handled']);
  }));

test('calling a task off settles it, whether it runs or lies still', async () => {
  await withPending(async (engine, id) => {
    await engine.cancel(id);
    await untilStatus(engine, id, 'cancelled');
    await expect.poll(() => resolutions(engine, id)).toEqual(['upstream_change user_handled']);
  });
  await withPending(async (engine, id) => {
    await engine.pause(id);
    await untilStatus(engine, id, 'paused');
    await expect.poll(() => engine.storage.owner(id)).toBeNull();
    expect(await resolutions(engine, id)).toEqual(['upstream_change pending']);
    await engine.cancel(id);
    expect(await resolutions(engine, id)).toEqual(['upstream_change user_handled']);
    expect(await engine.storage.load('tasks', `${id}/versions`)).toMatchObject({
      drift_events: [{ resolution: 'user_handled' }],
    });
  });
});

test('a failure that can be retried leaves it open, until the task has expired; one that cannot ends it', async () => {
  await withPending(async (engine, id, _ground, clock) => {
    await engine.answer(id, 'again');
    await untilStatus(engine, id, 'failed');
    await expect.poll(() => engine.storage.owner(id)).toBeNull();
    expect(await resolutions(engine, id)).toEqual(['upstream_change pending']);
    clock.advance(31 * DAY);
    expect(await resolutions(engine, id)).toEqual(['upstream_change ignored']);
    expect((await engine.history(id)).versions).toEqual(await engine.versions(id));
  });
  await withPending(async (engine, id) => {
    await engine.answer(id, 'never');
    await untilStatus(engine, id, 'failed');
    await expect.poll(() => resolutions(engine, id)).toEqual(['upstream_change ignored']);
  });
});

test('an auto-rebase is recorded as rebased, also of what was ignored, or known from the start', async () => {
  const config = { drift: { auto_rebase: true, test_command: 'test -f b.txt' } };
  const ground = groundAt(tempDir(), { 'a.txt': TEN });
  await withEngine(ground, { config }, async (engine) => {
    const id = await pausedTask(engine);
    pushed(ground, 'more', { 'b.txt': 'b\n' });
    const { outcome } = await engine.resume(id, { on_upstream: 'ignore' });
    await untilStatus(engine, id, 'waiting');
    expect(await resolutions(engine, id)).toEqual(['upstream_change ignored']);
    await engine.answer(id, 'done');
    await outcome;
    expect(await resolutions(engine, id)).toEqual(['upstream_change rebased']);
  });
  const behind = groundAt(tempDir(), { 'a.txt': TEN });
  const commit = pushed(behind, 'more', { 'b.txt': 'b\n' });
  behind.work.git('fetch', '--quiet');
  await withEngine(behind, { config, tasks: [ending] }, async (engine) => {
    const { id, outcome } = await engine.start(ending, undefined);
    await engine.answer(id, 'done');
    await outcome;
    expect(behind.work.git('rev-parse', 'HEAD')).toBe(commit);
    expect((await engine.versions(id))!.drift_events).toMatchObject([
      {
        type: 'upstream_change',
        resolution: 'rebased',
        details: { commits_behind: 1, severity: 'low', new_head: commit },
      },
    ]);
  });
});

test('a restart after a refused resume is recorded', async () => {
  const ground = groundAt(tempDir());
  await withEngine(ground, {}, async (engine) => {
    const id = await pausedTask(engine);
    const commit = pushed(ground, 'the same line', { 'a.txt': 'one\ntheirs\n' });
    await expect(engine.resume(id)).rejects.toMatchObject({ code: 'NEEDS_ANSWER' });
    expect(await resolutions(engine, id)).toEqual([]);
    await engine.restart(id);
    expect((await engine.versions(id))!.drift_events).toMatchObject([
      { type: 'upstream_change', resolution: 'task_restarted', details: { new_head: commit } },
    ]);
  });
});

/** Leaves a rebase of the task behind as a crash in its middle does. */
async function cutOff(engine: Engine, id: string, work: Clone): Promise<void> {
  const unfinished = dieAt(work, 1);
  const claim = await engine.storage.claim(id);
  const record = { category: 'tasks', key: `${id}/rebasing`, data: { version: '1.0', ...unfinished } };
  await engine.storage.commit({ task: id, fence: claim.fence, records: [record] });
  await claim.release();
  expect(existsSync(join(work.dir, '.git/index.lock'))).toBe(true);
}

test('a rebase that was cut off does not outlive a task that is called off', async () => {
  const ground = groundAt(tempDir(), { 'a.txt': TEN });
  const { work } = ground;
  await withEngine(ground, {}, async (engine) => {
    const id = await pausedTask(engine);
    pushed(ground, 'more', { 'b.txt': 'b\n', 'a.txt': TEN.replace('1', 'one') });
    await cutOff(engine, id, work);
    await engine.cancel(id);
    expect(existsSync(join(work.dir, '.git/index.lock'))).toBe(false);
    expect(work.git('status', '--porcelain')).toBe(' M a.txt');
    expect(await engine.storage.load('tasks', `${id}/rebasing`)).toBeNull();
  });
});

test('nor one of a task that has ended: the next engine there settles it', async () => {
  const ground = groundAt(tempDir(), { 'a.txt': TEN });
  const { work } = ground;
  const told: string[] = [];
  const notify = (lines: readonly string[]) => void told.push(...lines);
  let id = '';
  await withEngine(ground, {}, async (engine) => {
    const started = await engine.start(editing, 'mine');
    await engine.answer(started.id, 'done');
    await started.outcome;
    id = started.id;
    pushed(ground, 'more', { 'b.txt': 'b\n', 'a.txt': TEN.replace('1', 'one') });
    await cutOff(engine, id, work);
  });
  await withEngine(ground, { notify }, async (engine) => {
    expect(existsSync(join(work.dir, '.git/index.lock'))).toBe(false);
    expect(work.git('status', '--porcelain')).toBe(' M a.txt');
    expect(await engine.storage.load('tasks', `${id}/rebasing`)).toBeNull();
    expect(told).toEqual([expect.stringContaining('was interrupted, and has been undone')]);
  });
});

test('the lock of a rebase that died before it changed anything goes, too; that of a living one stays', async () => {
  const ground = groundAt(tempDir());
  const lock = join(ground.work.dir, '.git/index.lock');
  const left = (pid: number) =>
    writeFileSync(lock, `vibe-engine ${'1'.repeat(40)} ${JSON.stringify(markOf(pid))}\n`);
  left(process.pid);
  await withEngine(ground, {}, async () => expect(existsSync(lock)).toBe(true));
  const { pid } = spawnSync('true');
  left(pid);
  await withEngine(ground, {}, async () => expect(existsSync(lock)).toBe(false));
});
