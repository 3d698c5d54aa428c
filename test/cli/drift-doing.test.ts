/** `rebase` and `restart`: what the command line recommends after drift is done by typing what it shows. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openEngine } from '../../src/engine/engine.ts';
import { rebase } from '../../src/verbs/change/rebase.ts';
import { restart } from '../../src/verbs/run/restart.ts';
import { handleSlashCommand } from '../../src/verbs/slash.ts';
import { type Clone, type Ground, groundAt, pictureOf, pushed } from '../drift/ground.ts';
import { FULL, unlessFull } from '../support/full.ts';
import { tempDirs } from '../support/temp.ts';
import { misfits } from '../verbs/shapes.ts';
import { ask, cli, quiet } from './cli.ts';
import { atTerminal, KEY } from './terminal.ts';

const tempDir = tempDirs();
/** Adds a line to a.txt, then fails as long as there is no file `ok` in the store. */
const TASK = `import { existsSync } from 'node:fs';
import { defineTask } from 'vibe-engine';
export default defineTask('edit', async (task, input) => {
  await task.files.edit('a.txt', (text) => text + (input?.line ?? 'mine') + '\\n');
  await task.progress(10);
  await task.step('check', () => {
    if (!existsSync('.vibe-engine/ok')) throw new Error('not ok');
  });
  return 'edited';
});
`;

const TEN = '1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n';

/** A clone in which the task was run and failed, and where it would succeed now. */
async function failedTask(files = { 'a.txt': TEN }): Promise<Ground & { id: string; dir: string }> {
  const ground = groundAt(tempDir(), { ...files, 'task.ts': TASK });
  const { dir } = ground.work;
  const { task: id } = await ask<{ task: string }>(dir, 'run', 'task.ts', '--input', '{"line":"own"}');
  writeFileSync(join(dir, '.vibe-engine/ok'), '');
  return { ...ground, id, dir };
}

const commandsIn = (text: string): string[] =>
  [...text.matchAll(/vibe-engine (.+?)(?: {3}|\n|$)/g)].map(([, words]) => words!);
const head = (work: Clone) => work.git('rev-parse', 'HEAD');

test('a task that is done says how it is rebased, and that does it; the way back is printed, too', async () => {
  const ground = await failedTask();
  const { id, dir, work } = ground;
  const own = work.commit('own', {});
  pushed(ground, 'more', { 'b.txt': 'b\n' });
  const ended = await cli(dir, ['retry', id, '--on-upstream', 'ignore']);
  expect(ended.err).toContain(
    'Task "edit" is done. origin/main has 1 new commit. No file in common with the task (severity low).\n',
  );
  const [said] = commandsIn(ended.err).filter((words) => words.startsWith('rebase'));
  expect(said).toBe(`rebase ${id.slice(-6)}`);
  expect(`${ended.err}${ended.out}`).not.toMatch(/engine\./);

  const before = pictureOf(work);
  const preview = await cli(dir, [...said!.split(' '), '--dry-run']);
  expect(preview.out).toBe(
    `Rebasing main onto origin/main, which has 1 new commit:\n  1 commit is moved: ${own.slice(0, 10)} own\n  1 file changes: b.txt\n  no tests are run: drift.test_command is not set\n`,
  );
  const unasked = await cli(dir, said!.split(' '));
  expect([unasked.exit, unasked.err]).toEqual([3, expect.stringContaining('--yes')]);
  expect(pictureOf(work)).toEqual(before);

  const data = await ask<{ old_head: string; done: boolean }>(dir, ...said!.split(' '), '--yes');
  expect(misfits(data, rebase.data)).toEqual([]);
  expect(data).toMatchObject({ done: true, old_head: own, onto: 'origin/main' });
  expect([work.read('b.txt'), work.read('a.txt')]).toEqual(['b\n', `${TEN}own\n`]);
  expect((await cli(dir, ['history', id])).out).toContain('new commits upstream (rebased)');
  const again = await cli(dir, ['rebase']);
  expect([again.exit, again.err]).toEqual([1, expect.stringContaining('upstream has nothing new')]);

  // Without a task, the newest one's branch is meant; what it prints to go back goes back.
  pushed(ground, 'yet more', { 'c.txt': 'c\n' });
  const moved = head(work);
  const done = await cli(dir, ['rebase', '--yes']);
  const [, back] = /Go back: git (.+)\n/.exec(done.out)!;
  work.git(...back!.split(' '));
  expect([head(work), work.git('status', '--porcelain')]).toEqual([moved, '']);
});

test('a refused rebase says why, in the reader’s language, and changes nothing', async () => {
  const ground = await failedTask();
  pushed(ground, 'theirs', { 'a.txt': `${TEN}theirs\n` });
  const before = pictureOf(ground.work);
  const refused = await cli(ground.dir, ['rebase', ground.id, '--yes', '--lang', 'zh-Hant']);
  expect([refused.exit, refused.err]).toEqual([
    1,
    expect.stringContaining('未變基：尚未提交的變更與上游目前的內容衝突。有衝突的檔案：a.txt。'),
  ]);
  expect(refused.err).toContain(
    '一切維持原狀。請手動變基：git pull --rebase --autostash。請在檔案中解決衝突，對它們執行 git add，再移除留下的 stash：git stash drop',
  );
  expect(pictureOf(ground.work)).toEqual(before);
});

test('a rebase without a git repository is refused for that, not for want of an upstream', async () => {
  const dir = tempDir();
  writeFileSync(join(dir, 'task.ts'), TASK);
  writeFileSync(join(dir, 'a.txt'), TEN);
  const { task } = await ask<{ task: string }>(dir, 'run', 'task.ts');
  for (const how of ['--yes', '--dry-run']) {
    const refused = await cli(dir, ['rebase', task, how]);
    expect(refused.exit).toBe(1);
    expect(refused.err).toContain('Not rebased: no git repository is known for this task.');
    expect(refused.err).not.toContain('upstream');
  }
});

test('what was rebased before a task is resumed is not said to be new upstream', async () => {
  const ground = await failedTask();
  pushed(ground, 'more', { 'b.txt': 'b\n' });
  const resumed = await cli(ground.dir, ['retry', ground.id, '--on-upstream', 'rebase']);
  expect([resumed.exit, ground.work.read('b.txt')]).toEqual([0, 'b\n']);
  expect(resumed.err).toContain('It was rebased onto origin/main');
  expect(resumed.err).not.toMatch(/new commit|rebase when finished/);
});

test('a refused resume recommends a restart, and that does it', async () => {
  const ground = await failedTask();
  const { id, dir, work } = ground;
  pushed(ground, 'theirs', { 'a.txt': `${TEN}theirs\n` });
  const refused = await cli(dir, ['retry', id]);
  expect(refused.exit).toBe(3);
  expect(refused.err).toContain('Recommended: restart (--on-upstream restart).');
  expect(refused.err).toContain('--on-upstream ignore|restart|abort');
  expect(`${refused.err}${refused.out}`).not.toMatch(/engine\.|on_upstream|prompter/);
  const { err, exit } = await cli(dir, ['retry', id, '--on-upstream', 'restart']);
  expect(exit).toBe(0);
  const [, again] = /Task "edit" was started again as (\w+); the old one is cancelled\./.exec(err)!;
  expect(work.read('a.txt')).toBe(`${TEN}theirs\nown\n`);
  expect(await ask(dir, 'show', again!)).toMatchObject({ task: { status: 'completed' } });
  expect((await cli(dir, ['history', id])).out).toContain(
    'new commits upstream (the task was started again)',
  );
});

// At 60 % the engine's own test follows the recipe, too (test/engine/drift.test.ts).
test.each(unlessFull([10], [10, 60]))(
  'after a force push, at %i %, one recipe is given, nothing that is refused, and it works',
  async (percent) => {
    const task = TASK.replace('progress(10)', `progress(${percent})`);
    const ground = groundAt(tempDir(), { 'a.txt': TEN, 'task.ts': task });
    const { work, other } = ground;
    const { dir } = work;
    pushed(ground, 'lost', { 'lost.txt': 'lost\n' });
    work.git('pull', '--quiet');
    const { task: id } = await ask<{ task: string }>(dir, 'run', 'task.ts', '--input', '{"line":"own"}');
    writeFileSync(join(dir, '.vibe-engine/ok'), '');
    other.git('reset', '--quiet', '--hard', 'HEAD^');
    other.commit('instead', { 'instead.txt': 'instead\n' });
    other.git('push', '--quiet', '--force', 'origin', 'HEAD');
    const asked = await cli(dir, ['retry', id]);
    expect([asked.exit, asked.err]).toEqual([3, expect.stringContaining('--on-upstream ignore|abort')]);
    expect(asked.err).not.toMatch(/Stop the task|--on-upstream restart|restart \w+ --upstream/);
    const words = [...asked.err.matchAll(/^\s*\d\. .+: (?:vibe-engine |(?=git ))(.+)$/gm)].map(
      ([, typed]) => typed!,
    );
    const short = id.slice(-6);
    const pull = 'git pull --rebase --autostash';
    expect(words).toEqual(
      percent === 10 ? [`undo ${short}`, pull, `restart ${short}`] : [pull, `resume ${short}`],
    );
    expect(asked.err).toContain(
      `Recommended: ${percent === 10 ? 'restart' : 'merge_and_continue'}, by the steps above.`,
    );
    const left = await cli(dir, ['retry', id, '--on-upstream', 'abort']);
    expect(left.err.split('Nothing was changed.')[1]).toMatch(
      percent === 10
        ? /undo \w+; git pull .+; .*restart \w+\n/
        : /first: git pull --rebase --autostash; .*resume \w+\n/,
    );
    for (const typed of words) {
      if (typed === pull) work.git(...pull.split(' ').slice(1), '--quiet');
      else expect(await cli(dir, [...typed.split(' '), '--yes'])).toMatchObject({ exit: 0 });
    }
    expect([work.read('a.txt'), work.read('instead.txt')]).toEqual([`${TEN}own\n`, 'instead\n']);
  },
);

test('restart shows what it does, takes files back first, and leaves them with --keep-files', async () => {
  const { id, dir, work } = await failedTask();
  const preview = await cli(dir, ['restart', id, '--dry-run']);
  expect(preview.out).toMatch(
    /^Starting "edit" \(\w+\) again:\n {2}runs its code from the beginning, with the same input, as a new task\n {2}the old task is cancelled\n {2}its changes to 1 file are undone first: a\.txt\n {4}1 file is restored: a\.txt\n$/,
  );
  const unasked = await cli(dir, ['restart', id]);
  expect([unasked.exit, unasked.err]).toEqual([3, expect.stringContaining('--yes')]);
  const data = await ask<{ task: string }>(dir, 'restart', '--yes');
  expect(misfits(data, restart.data)).toEqual([]);
  expect(data).toMatchObject({ restarted: id, status: 'completed', output: 'edited', done: true });
  expect(work.read('a.txt')).toBe(`${TEN}own\n`);
  expect(await ask(dir, 'show', id)).toMatchObject({ task: { status: 'cancelled' } });
  const cancelled = await cli(dir, ['restart', id, '--dry-run', '--upstream']);
  expect(cancelled.out.split('\n').slice(1)).toEqual([
    '  runs its code from the beginning, with the same input, as a new task',
    '  the old task stays as it is: cancelled',
    '  the branch is rebased onto upstream first',
    '  the old task has no changes to files to undo',
    '',
  ]);
  // One that is over can be started again by its name; where its files stay, the line is there twice.
  await ask(dir, 'restart', data.task, '--yes', '--keep-files');
  expect(work.read('a.txt')).toBe(`${TEN}own\nown\n`);
});

test('at a terminal, what becomes of the files is asked; taking them back is selected', async () => {
  const { id, dir, work } = await failedTask();
  const { screen, exit } = await atTerminal(
    dir,
    ['restart', id, '--lang', 'zh-Hans'],
    [{ when: /● 是，先还原它对文件的更改/, type: KEY.enter }],
  );
  expect([exit, screen]).toEqual([0, expect.stringContaining('旧任务已取消')]);
  expect(work.read('a.txt')).toBe(`${TEN}own\n`);
});

test('at a terminal, the answer that is recommended is selected', async () => {
  const ground = await failedTask();
  const { id, dir, work } = ground;
  pushed(ground, 'theirs', { 'a.txt': `${TEN}theirs\n` });
  const { exit } = await atTerminal(dir, ['retry', id], [{ when: /● restart/, type: KEY.enter }]);
  expect([exit, work.read('a.txt')]).toEqual([0, `${TEN}theirs\nown\n`]);
});

test('a command is shown, and run again from its beginning', async () => {
  const { work } = groundAt(tempDir());
  const command = 'echo line >> log.txt; test -f ok';
  const failed = await quiet(work.dir, ['exec', '--resume-with', 'false', '--', 'sh', '-c', command]);
  expect(failed.exit).toBe(1);
  work.put('ok', '');
  const preview = await cli(work.dir, ['restart', '--dry-run']);
  expect(preview.out).toContain(`  runs: sh -c '${command}'\n`);
  const again = await cli(work.dir, ['restart', '--yes']);
  expect(again.exit).toBe(0);
  expect(work.read('log.txt')).toBe('line\n');
});

// All verbs are slash commands by the same way (test/verbs/slash.test.ts).
test.runIf(FULL)('as slash commands, they do the same', async () => {
  const ground = await failedTask();
  pushed(ground, 'more', { 'b.txt': 'b\n' });
  const task = ((await import(join(ground.dir, 'task.ts'))) as { default: never }).default;
  const engine = await openEngine({
    project_dir: ground.dir,
    workspace: true,
    signals: false,
    tasks: [task],
  });
  try {
    const shown = await handleSlashCommand(`/rebase ${ground.id} --dry-run`, engine);
    expect(shown).toMatchObject({ ok: true, data: { done: false, onto: 'origin/main' } });
    expect(await handleSlashCommand(`/rebase ${ground.id} --yes`, engine)).toMatchObject({
      ok: true,
      data: { done: true },
    });
    const again = await handleSlashCommand(`/restart ${ground.id} --yes`, engine);
    expect(again).toMatchObject({
      ok: true,
      data: { restarted: ground.id, status: 'in_progress', done: true },
    });
  } finally {
    await engine.close();
  }
});
