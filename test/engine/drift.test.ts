/** Drift in the engine: before a task is resumed, while it runs, and what is kept of it. */
import { expect, test } from 'vitest';
import type { TaskContext } from '../../src/engine/api/context.ts';
import { defineTask } from '../../src/engine/api/definition.ts';
import type { Question } from '../../src/engine/api/prompter.ts';
import { dieAt } from '../drift/dying-rebase.ts';
import { groundAt, pictureOf, pushed } from '../drift/ground.ts';
import { manualClock } from '../support/manual-clock.ts';
import { tempDirs } from '../support/temp.ts';
import { editing, pausedTask, resolutions, TEN, withEngine } from './drift-world.ts';
import { untilStatus } from './letters.ts';

const tempDir = tempDirs();

/** The task changes the end of `a.txt`. */
const LINES = { 'a.txt': 'one\n2\n3\n4\n5\n6\n7\n8\n' };
const ABOVE = { 'a.txt': LINES['a.txt'].replace('one', 'ONE') };

test('new commits to other files stop nothing: that is said, and said again when the task ends', async () => {
  const ground = groundAt(tempDir());
  const told: string[] = [];
  const notify = (lines: readonly string[]) => void told.push(...lines);
  const ask = (question: Question) => Promise.reject(new Error(question.message));
  await withEngine(ground, { notify, prompter: { ask } }, async (engine, heard) => {
    const id = await pausedTask(engine);
    const head = ground.work.git('rev-parse', 'HEAD');
    pushed(ground, 'more', { 'b.txt': 'b\n' });
    const { outcome } = await engine.resume(id);
    const line = 'origin/main has 1 new commit. No file in common with the task (severity low).';
    expect(heard.findLast(({ type }) => type === 'recovery')).toMatchObject({
      notes: [`${line} Continue, and rebase when finished.`],
    });
    expect(await resolutions(engine, id)).toEqual(['upstream_change pending']);
    await engine.answer(id, 'done');
    expect(await outcome).toMatchObject({ status: 'completed' });
    expect(told.join('\n')).toContain(line);
    expect(ground.work.git('rev-parse', 'HEAD')).toBe(head);
  });
});

test('new commits upstream to the same files stop a resume that nobody can be asked about, and change nothing', async () => {
  const ground = groundAt(tempDir(), LINES);
  await withEngine(ground, {}, async (engine) => {
    const id = await pausedTask(engine);
    const commit = pushed(ground, 'more', ABOVE);
    const before = pictureOf(ground.work);
    const versions = await engine.versions(id);
    await expect(engine.resume(id)).rejects.toMatchObject({
      code: 'NEEDS_ANSWER',
      data: {
        severity: 'medium',
        commits_behind: 1,
        recommendation: { recommend: 'merge_and_continue', choice: 'rebase' },
      },
    });
    expect(pictureOf(ground.work)).toEqual(before);
    expect(await engine.versions(id)).toEqual(versions);
    expect((await engine.state(id))!.status).toBe('paused');

    await expect(engine.resume(id, { on_upstream: 'abort' })).rejects.toMatchObject({
      code: 'UPSTREAM_CHANGED',
      data: { severity: 'medium' },
    });
    const { outcome } = await engine.resume(id, { on_upstream: 'ignore' });
    await engine.answer(id, 'done');
    expect(await outcome).toMatchObject({ status: 'completed' });
    expect((await engine.history(id)).versions).toEqual(await engine.versions(id));
    expect(await engine.versions(id)).toMatchObject({
      started_at_commit: ground.work.git('rev-parse', 'HEAD'),
      current_head: ground.work.git('rev-parse', 'HEAD'),
      upstream_head: commit,
      branch: 'main',
      commits_behind: 1,
      drift_events: [
        {
          type: 'upstream_change',
          resolution: 'ignored',
          details: { commits_behind: 1, severity: 'medium', new_head: commit, conflicting_files: [] },
        },
      ],
    });
  });
});

test('what was decided once is not asked again; what is new is', async () => {
  const ground = groundAt(tempDir(), LINES);
  const asked: Question[] = [];
  const ask = async (question: Question) => {
    asked.push(question);
    return 'ignore';
  };
  await withEngine(ground, { prompter: { ask } }, async (engine) => {
    const id = await pausedTask(engine);
    const again = async () => {
      const { outcome } = await engine.resume(id);
      await untilStatus(engine, id, 'waiting');
      await engine.pause(id);
      await outcome;
    };
    pushed(ground, 'more', ABOVE);
    await again();
    await again();
    expect(asked.map(({ kind, options, data }) => [kind, options, data.severity])).toEqual([
      ['upstream', ['ignore', 'rebase', 'restart', 'abort'], 'medium'],
    ]);
    pushed(ground, 'the same line', { 'a.txt': `${LINES['a.txt']}theirs\n` });
    await again();
    expect(asked.slice(1).map(({ data }) => [data.severity, data.conflicting_files])).toEqual([
      ['high', ['a.txt']],
    ]);
  });
});

test('a running task is told of what it has in common with upstream, and paused where they collide', async () => {
  const ground = groundAt(tempDir(), { 'a.txt': 'one\n2\n3\n4\n5\n6\n7\n8\n' });
  const clock = manualClock(new Date('2026-01-01T00:00:00Z'));
  const told: string[] = [];
  const notify = (lines: readonly string[]) => void told.push(...lines);
  await withEngine(ground, { clock, notify }, async (engine, heard) => {
    const { id, outcome } = await engine.start(editing, 'mine');
    await untilStatus(engine, id, 'waiting');
    const looked = async (wanted: object) => {
      clock.advance(10 * 60_000);
      await expect.poll(() => heard.findLast(({ type }) => type === 'drift')).toMatchObject(wanted);
    };
    pushed(ground, 'elsewhere', { 'b.txt': 'b\n' });
    await looked({ task: id, moment: 'timer', level: 'low', action: 'continue' });
    expect(told).toEqual([]);
    pushed(ground, 'the first line', { 'a.txt': 'ONE\n2\n3\n4\n5\n6\n7\n8\n' });
    await looked({ level: 'medium', action: 'notify' });
    expect(told).toEqual([
      'origin/main has 2 new commits. Files in common, no conflict (severity medium). Rebase soon. In common: a.txt.',
    ]);
    pushed(ground, 'the last line', { 'a.txt': 'ONE\n2\n3\n4\n5\n6\n7\n8\ntheirs\n' });
    await looked({ level: 'high', action: 'pause' });
    expect(await outcome).toEqual({ status: 'paused', reason: 'upstream moved (severity high)' });
    expect((await engine.state(id))!.data).toMatchObject({
      resume_instructions: expect.stringContaining('a.txt'),
      cause: 'drift',
    });
    expect((await engine.versions(id))!.drift_events.map(({ resolution }) => resolution)).toEqual([
      'pending',
      'pending',
      'pending',
    ]);

    // After a manual merge nobody is asked.
    ground.work.git('stash', '--quiet');
    ground.work.git('pull', '--quiet', '--rebase');
    const { outcome: end } = await engine.resume(id, { on_modified: 'use_current', on_deleted: 'skip' });
    await engine.answer(id, 'done');
    expect(await end).toMatchObject({ status: 'completed' });
    expect(
      (await engine.versions(id))!.drift_events.map(({ type, resolution }) => [type, resolution]),
    ).toEqual([
      ['upstream_change', 'user_handled'],
      ['upstream_change', 'user_handled'],
      ['upstream_change', 'user_handled'],
      ['head_moved', 'user_handled'],
    ]);
  });
});

/** Edits `a.txt` and is done. */
const finishing = defineTask('finishing', async (task, line: string) => {
  await task.files.edit('a.txt', (text) => `${text}${line}\n`);
});

const tested = { drift: { test_command: 'test -f b.txt' } };

test('a task is rebased before it is resumed, when told so', async () => {
  const ground = groundAt(tempDir(), { 'a.txt': TEN });
  await withEngine(ground, { config: tested }, async (engine, heard) => {
    const id = await pausedTask(engine);
    const commit = pushed(ground, 'more', { 'a.txt': TEN.replace('1', 'one'), 'b.txt': 'b\n' });
    const { outcome } = await engine.resume(id, { on_upstream: 'rebase', on_modified: 'use_current' });
    await engine.answer(id, 'done');
    expect(await outcome).toMatchObject({ status: 'completed' });
    expect(ground.work.git('rev-parse', 'HEAD')).toBe(commit);
    expect(ground.work.read('a.txt')).toBe(`${TEN.replace('1', 'one')}mine\n`);
    expect(await engine.versions(id)).toMatchObject({
      current_head: commit,
      commits_behind: 0,
      drift_events: [{ type: 'upstream_change', resolution: 'rebased', details: { severity: 'medium' } }],
    });
    expect(heard).toContainEqual(expect.objectContaining({ type: 'rebase', task: id, new_head: commit }));
  });
});

test('a rebase that is refused stops the resume, and changes nothing', async () => {
  const ground = groundAt(tempDir(), { 'a.txt': TEN });
  await withEngine(ground, { config: { drift: { test_command: 'false' } } }, async (engine) => {
    const id = await pausedTask(engine);
    pushed(ground, 'more', { 'b.txt': 'b\n' });
    const before = pictureOf(ground.work);
    await expect(engine.resume(id, { on_upstream: 'rebase' })).rejects.toMatchObject({
      code: 'REBASE_REFUSED',
      data: { why: 'tests fail' },
    });
    expect(pictureOf(ground.work)).toEqual(before);
    expect((await engine.state(id))!.status).toBe('paused');
    expect((await engine.versions(id))!.drift_events).toEqual([]);
  });
});

test('what the settings permit and the tests forbid is asked about', async () => {
  const ground = groundAt(tempDir(), { 'a.txt': TEN });
  const asked: Question[] = [];
  const ask = async (question: Question) => {
    asked.push(question);
    return 'ignore';
  };
  const config = { drift: { auto_rebase: true, test_command: 'false' } };
  await withEngine(ground, { config, prompter: { ask } }, async (engine) => {
    const id = await pausedTask(engine);
    pushed(ground, 'more', { 'b.txt': 'b\n' });
    await engine.resume(id);
    expect(asked).toMatchObject([{ kind: 'upstream', options: ['ignore', 'restart', 'abort'] }]);
    expect(asked[0]!.message).toContain('Not rebased: the tests fail');
  });
});

test('a task that ends with upstream ahead says so, and can be rebased then', async () => {
  const ground = groundAt(tempDir(), { 'a.txt': TEN });
  const told: string[] = [];
  const notify = (lines: readonly string[]) => void told.push(...lines);
  const prompter = { ask: async () => 'ignore' };
  await withEngine(ground, { notify, prompter, config: tested }, async (engine, heard) => {
    const id = await pausedTask(engine);
    const commit = pushed(ground, 'more', { 'b.txt': 'b\n' });
    const { outcome } = await engine.resume(id);
    await engine.answer(id, 'done');
    await outcome;
    expect(told.slice(-2)).toEqual([
      'Task "editing" is done. origin/main has 1 new commit. No file in common with the task (severity low).',
      `Rebase it now: vibe-engine rebase ${id}`,
    ]);
    expect(heard.findLast(({ type }) => type === 'drift')).toMatchObject({ moment: 'end', level: 'low' });
    expect(await engine.rebase(id)).toMatchObject({ new_head: commit, onto: 'origin/main', moved: 0 });
    expect(ground.work.read('a.txt')).toBe(`${TEN}mine\n`);
    await expect(engine.rebase(id)).rejects.toMatchObject({ data: { why: 'nothing new' } });
    for (const call of [engine.rebase, engine.drift])
      await expect(call('t0')).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
  });
});

test('nothing is rebased while another task is at work in the same worktree', async () => {
  const ground = groundAt(tempDir(), { 'a.txt': TEN });
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const working = defineTask('working', (task) => task.step('work', () => gate));
  await withEngine(ground, { config: tested, tasks: [editing, working] }, async (engine) => {
    const id = await pausedTask(engine);
    pushed(ground, 'more', { 'b.txt': 'b\n' });
    const other = await engine.start(working, undefined);
    await untilStatus(engine, other.id, 'in_progress');
    const before = pictureOf(ground.work);
    await expect(engine.rebase(id)).rejects.toMatchObject({
      data: { why: 'tasks at work', tasks: [other.id] },
    });
    expect(pictureOf(ground.work)).toEqual(before);
    open();
    await other.outcome;
    expect(await engine.rebase(id)).toMatchObject({ onto: 'origin/main' });
  });
});

test('with permission in the settings, a task that ends is rebased by itself', async () => {
  const ground = groundAt(tempDir(), { 'a.txt': TEN });
  const commit = pushed(ground, 'more', { 'b.txt': 'b\n' });
  ground.work.git('fetch', '--quiet');
  const config = { drift: { auto_rebase: true, test_command: 'test -f b.txt' } };
  await withEngine(ground, { config, tasks: [finishing] }, async (engine) => {
    await engine.run(finishing, 'mine');
    expect(ground.work.git('rev-parse', 'HEAD')).toBe(commit);
    expect(ground.work.git('status', '--porcelain')).toBe(' M a.txt');
  });
});

test('a rebase that a crash cut off is settled before the task is resumed', async () => {
  const ground = groundAt(tempDir(), { 'a.txt': TEN });
  const { work } = ground;
  await withEngine(ground, {}, async (engine) => {
    const id = await pausedTask(engine);
    const head = work.git('rev-parse', 'HEAD');
    pushed(ground, 'more', { 'b.txt': 'b\n', 'a.txt': TEN.replace('1', 'one') });
    const unfinished = dieAt(work, 1);
    expect([work.read('a.txt'), work.read('b.txt'), work.git('rev-parse', 'HEAD')]).toEqual([
      `${TEN.replace('1', 'one')}mine\n`,
      'b\n',
      head,
    ]);
    const claim = await engine.storage.claim(id);
    const record = { category: 'tasks', key: `${id}/rebasing`, data: { version: '1.0', ...unfinished } };
    await engine.storage.commit({ task: id, fence: claim.fence, records: [record] });
    await claim.release();
    const { outcome } = await engine.resume(id, { on_upstream: 'ignore' });
    await engine.answer(id, 'done');
    expect(await outcome).toMatchObject({ status: 'completed' });
    expect(work.read('a.txt')).toBe(`${TEN}mine\n`);
    expect(work.git('status', '--porcelain')).toBe(' M a.txt');
    expect(await engine.storage.load('tasks', `${id}/rebasing`)).toBeNull();
  });
});

test('a force push pauses the task, with what vanished and what to do; nothing is rebased onto it', async () => {
  const ground = groundAt(tempDir());
  const lost = pushed(ground, 'lost', { 'lost.txt': 'lost\n' });
  ground.work.git('pull', '--quiet');
  const clock = manualClock(new Date('2026-01-01T00:00:00Z'));
  await withEngine(ground, { clock, config: tested }, async (engine) => {
    const { id, outcome } = await engine.start(editing, 'mine');
    await untilStatus(engine, id, 'waiting');
    ground.other.git('reset', '--quiet', '--hard', 'HEAD^');
    ground.other.commit('instead', { 'instead.txt': 'instead\n' });
    ground.other.git('push', '--quiet', '--force', 'origin', 'HEAD');
    clock.advance(10 * 60_000);
    expect(await outcome).toMatchObject({ status: 'paused' });
    const { resume_instructions } = (await engine.state(id))!.data as { resume_instructions: string };
    expect(resume_instructions).toContain(
      '⚠️ origin/main was rewritten by a force push: 1 commit is no longer',
    );
    expect(resume_instructions).toContain(`gone: ${lost.slice(0, 12)} lost`);
    expect(resume_instructions).toContain(`refs/vibe-engine/kept/${lost}`);
    expect(resume_instructions.split('\n').slice(-3)).toEqual([
      '1. Check what is gone.',
      '2. Sync the branch manually: git pull --rebase --autostash',
      `3. Resume the task: vibe-engine resume ${id}`,
    ]);
    await expect(engine.resume(id)).rejects.toMatchObject({
      code: 'NEEDS_ANSWER',
      message: expect.stringMatching(
        /3\. Resume the task: .*\nRecommended: merge_and_continue, by the steps above\./,
      ),
      hint: expect.stringContaining('--on-upstream: ignore, abort'),
    });
    await expect(engine.rebase(id)).rejects.toMatchObject({ data: { why: 'history rewritten' } });
    await engine.resume(id, { on_upstream: 'ignore' });
    expect((await engine.versions(id))!.drift_events).toMatchObject([
      { type: 'force_push', resolution: 'ignored', details: { old_head: lost, vanished: [lost] } },
    ]);
  });
});

test('a force push that was synced by hand is not warned of again, and asks nothing', async () => {
  const ground = groundAt(tempDir());
  pushed(ground, 'lost', { 'lost.txt': 'lost\n' });
  ground.work.git('pull', '--quiet');
  const clock = manualClock(new Date('2026-01-01T00:00:00Z'));
  const told: string[] = [];
  const notify = (lines: readonly string[]) => void told.push(...lines);
  await withEngine(ground, { clock, notify }, async (engine) => {
    const { id, outcome } = await engine.start(editing, 'mine');
    await untilStatus(engine, id, 'waiting');
    ground.other.git('reset', '--quiet', '--hard', 'HEAD^');
    ground.other.commit('instead', { 'instead.txt': 'instead\n' });
    ground.other.git('push', '--quiet', '--force', 'origin', 'HEAD');
    clock.advance(10 * 60_000);
    await outcome;
    ground.work.git('pull', '--quiet', '--rebase', '--autostash');
    told.length = 0;
    const resumed = await engine.resume(id);
    await untilStatus(engine, id, 'waiting');
    expect(told.join('\n')).not.toMatch(/force push|Undo the task|work may be lost/);
    await engine.pause(id);
    await resumed.outcome;
    expect(await resolutions(engine, id)).toContain('force_push user_handled');
  });
});

test('what was taken from upstream is not put back by a rebase, although the force push was ignored', async () => {
  const ground = groundAt(tempDir());
  const { work, other } = ground;
  pushed(ground, 'lost', { 'lost.txt': 'lost\n' });
  work.git('pull', '--quiet');
  await withEngine(ground, { config: tested }, async (engine) => {
    const id = await pausedTask(engine);
    other.git('reset', '--quiet', '--hard', 'HEAD^');
    other.git('push', '--quiet', '--force', 'origin', 'HEAD');
    const { outcome } = await engine.resume(id, { on_upstream: 'ignore' });
    await engine.answer(id, 'done');
    expect(await outcome).toMatchObject({ status: 'completed' });
    pushed(ground, 'more', { 'b.txt': 'b\n' });
    const before = pictureOf(work);
    await expect(engine.rebase(id)).rejects.toMatchObject({ data: { why: 'history rewritten' } });
    expect(pictureOf(work)).toEqual(before);
  });
});

test('a force push that only takes commits away pauses the task too, until somebody has decided', async () => {
  const ground = groundAt(tempDir());
  const { work, other } = ground;
  const lost = pushed(ground, 'lost', { 'lost.txt': 'lost\n' });
  work.git('pull', '--quiet');
  const clock = manualClock(new Date('2026-01-01T00:00:00Z'));
  await withEngine(ground, { clock }, async (engine) => {
    const { id, outcome } = await engine.start(editing, 'mine');
    await untilStatus(engine, id, 'waiting');
    other.git('reset', '--quiet', '--hard', 'HEAD^');
    other.git('push', '--quiet', '--force', 'origin', 'HEAD');
    clock.advance(10 * 60_000);
    expect(await outcome).toEqual({ status: 'paused', reason: 'upstream moved (severity high)' });
    await expect(engine.resume(id)).rejects.toMatchObject({
      code: 'NEEDS_ANSWER',
      message: expect.stringContaining(`gone: ${lost.slice(0, 12)}`),
      data: { severity: 'high' },
    });
    expect((await engine.versions(id))!.drift_events).toMatchObject([
      { type: 'force_push', resolution: 'pending', details: { severity: 'high', commits_behind: 0 } },
    ]);
    work.git('reset', '--quiet', '--keep', 'origin/main');
    await engine.resume(id);
    expect((await engine.versions(id))!.drift_events).toMatchObject([
      { type: 'force_push', resolution: 'user_handled' },
      { type: 'head_moved' },
    ]);
  });
});

test('a branch that is switched under the task pauses it, and is asked about', async () => {
  const ground = groundAt(tempDir());
  const { work } = ground;
  const clock = manualClock(new Date('2026-01-01T00:00:00Z'));
  await withEngine(ground, { clock }, async (engine) => {
    const { id, outcome } = await engine.start(editing, 'mine');
    await untilStatus(engine, id, 'waiting');
    work.git('switch', '--quiet', '--create', 'elsewhere');
    clock.advance(10 * 60_000);
    expect(await outcome).toEqual({ status: 'paused', reason: 'the branch was switched' });
    const config = work.read('.git/config');
    work.put('.git/config', '[core\n'); // Git cannot read it now: the question stands all the same.
    await expect(engine.resume(id)).rejects.toMatchObject({ code: 'NEEDS_ANSWER' });
    const { outcome: unread } = await engine.resume(id, { on_environment: 'continue' });
    await untilStatus(engine, id, 'waiting');
    work.put('.git/config', config);
    clock.advance(10 * 60_000);
    expect(await unread).toEqual({ status: 'paused', reason: 'the branch was switched' });
    const before = await engine.versions(id);
    await expect(engine.resume(id, { on_environment: 'abort' })).rejects.toMatchObject({
      code: 'ENVIRONMENT_CHANGED',
    });
    expect(await engine.versions(id)).toEqual(before);
    const { outcome: end } = await engine.resume(id, { on_environment: 'continue' });
    await engine.answer(id, 'done');
    expect(await end).toMatchObject({ status: 'completed' });
    expect(await engine.versions(id)).toMatchObject({
      branch: 'elsewhere',
      drift_events: [
        { type: 'branch_switched', resolution: 'ignored' },
        { type: 'branch_switched', resolution: 'ignored' },
      ],
    });
  });
});

test('so does one that is switched while a step is in progress that runs no commands', async () => {
  const ground = groundAt(tempDir());
  const { work } = ground;
  const run = async (task: TaskContext, dangerous: boolean) => {
    await task.files.write('mine.txt', `${dangerous}\n`);
    await task.step('think', () => void work.git('switch', '--quiet', '--create', `by-${dangerous}`), {
      dangerous,
    });
    return task.commit('Mine');
  };
  const thinking = defineTask('thinking', run);
  await withEngine(ground, { tasks: [thinking] }, async (engine) => {
    const { outcome } = await engine.start(thinking, false);
    expect(await outcome).toEqual({ status: 'paused', reason: 'the branch was switched' });
    const { outcome: own } = await engine.start(thinking, true);
    expect(await own).toMatchObject({ status: 'completed', output: { files: ['mine.txt'] } });
  });
});

test('on another branch, what upstream has that it has not is noted too', async () => {
  const ground = groundAt(tempDir());
  const { work } = ground;
  work.git('switch', '--quiet', '--create', 'behind', '--track', 'origin/main');
  work.git('switch', '--quiet', 'main');
  pushed(ground, 'theirs', { 'a.txt': 'theirs\n' });
  work.git('pull', '--quiet');
  await withEngine(ground, {}, async (engine) => {
    const waiting = defineTask('waiting', (task) => task.waitFor('user_input'));
    engine.register(waiting);
    const { id, outcome } = await engine.start(waiting, undefined);
    await untilStatus(engine, id, 'waiting');
    await engine.pause(id);
    await outcome;
    work.git('switch', '--quiet', 'behind');
    const on_environment = 'continue';
    await engine.resume(id, { on_environment });
    expect(await engine.versions(id)).toMatchObject({
      branch: 'behind',
      commits_behind: 1,
      drift_events: [
        { type: 'branch_switched', resolution: 'ignored' },
        { type: 'upstream_change', resolution: 'pending', details: { severity: 'low' } },
      ],
    });
    work.put('a.txt', 'mine\n');
    expect((await engine.drift(id))!.drift).toMatchObject({ level: 'high', undecided: true });
  });
});

test('offline, a task goes on, and says that it does not know', async () => {
  const ground = groundAt(tempDir());
  const told: string[] = [];
  const notify = (lines: readonly string[]) => void told.push(...lines);
  await withEngine(ground, { notify }, async (engine, heard) => {
    const id = await pausedTask(engine);
    ground.work.git('remote', 'set-url', 'origin', 'git://127.0.0.1:1/x.git');
    const { outcome } = await engine.resume(id);
    await engine.answer(id, 'done');
    expect(await outcome).toMatchObject({ status: 'completed' });
    expect(told.join('\n')).toContain('Could not check upstream for new commits: offline (');
    expect(heard.find(({ type }) => type === 'drift')).toMatchObject({ unknown: { reason: 'offline' } });
    expect(await engine.versions(id)).toMatchObject({ unknown: { reason: 'offline' }, drift_events: [] });
  });
});

test('a task that is started again has settled its drift', async () => {
  const ground = groundAt(tempDir());
  const clock = manualClock(new Date('2026-01-01T00:00:00Z'));
  await withEngine(ground, { clock }, async (engine) => {
    const { id, outcome } = await engine.start(editing, 'mine');
    await untilStatus(engine, id, 'waiting');
    pushed(ground, 'the same line', { 'a.txt': 'one\ntheirs\n' });
    clock.advance(10 * 60_000);
    await outcome;
    ground.work.git('checkout', '--quiet', '.');
    ground.work.git('pull', '--quiet');
    // The person has put the file where it is to be.
    const again = await engine.restart(id, { on_modified: 'use_current' });
    await untilStatus(engine, again.id, 'waiting');
    await expect(engine.restart(again.id)).rejects.toMatchObject({ code: 'TASK_OWNED' });
    await engine.answer(again.id, 'done');
    expect(await again.outcome).toMatchObject({ status: 'completed', output: 'done' });
    expect(ground.work.read('a.txt')).toBe('one\ntheirs\nmine\n');
    expect(await engine.state(id)).toMatchObject({
      status: 'cancelled',
      data: { cancel_reason: 'started again' },
    });
    expect((await engine.versions(id))!.drift_events).toMatchObject([{ resolution: 'task_restarted' }]);
  });
});

test('what the settings turn off is not looked for', async () => {
  const ground = groundAt(tempDir());
  const config = { drift: { before_resume: false, before_commit: false, every_minutes: null } };
  const clock = manualClock(new Date('2026-01-01T00:00:00Z'));
  const committing = defineTask('committing', async (task) => {
    await task.files.write('a.txt', 'mine\n');
    await task.waitFor('user_input');
    return (await task.commit('Do it'))?.files;
  });
  await withEngine(ground, { config, clock, tasks: [committing] }, async (engine, heard) => {
    const { id, outcome } = await engine.start(committing, undefined);
    await untilStatus(engine, id, 'waiting');
    await engine.pause(id);
    await outcome;
    pushed(ground, 'the same line', { 'a.txt': 'theirs\n' });
    const { outcome: end } = await engine.resume(id);
    clock.advance(60 * 60_000);
    await engine.answer(id, 'go on');
    expect(await end).toMatchObject({ status: 'completed', output: ['a.txt'] });
    expect(heard.filter(({ type }) => type === 'drift')).toEqual([]);
    // By hand it is looked for.
    expect(await engine.drift(id)).toMatchObject({
      drift: { level: 'high' },
      tracker: { commits_behind: 1 },
    });
  });
});

test('without a repository there is no drift, and no commit', async () => {
  const ground = { ...groundAt(tempDir()), work: { ...groundAt(tempDir()).work, dir: tempDir() } };
  const committing = defineTask('committing', async (task) => {
    await task.files.write('a.txt', 'mine\n');
    return task.commit('Do it').catch((error) => error.code);
  });
  await withEngine(ground, { tasks: [committing] }, async (engine) => {
    const { id, outcome } = await engine.start(committing, undefined);
    expect(await outcome).toEqual({ status: 'completed', output: 'COMMIT_REFUSED' });
    expect([await engine.versions(id), await engine.drift(id)]).toEqual([null, null]);
  });
});
