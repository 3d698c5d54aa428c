/** `undo` on the command line and as a slash command: finished work is shown, taken back, and brought forward again. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { openEngine } from '../../src/engine/engine.ts';
import { noteUnfinished } from '../../src/engine/task/records/rollback-in-progress.ts';
import { finish } from '../../src/verbs/change/finish.ts';
import { undo } from '../../src/verbs/change/undo.ts';
import { handleSlashCommand } from '../../src/verbs/slash.ts';
import { newRepository } from '../engine/file-world.ts';
import { unlessFull } from '../support/full.ts';
import { tempDirs } from '../support/temp.ts';
import { misfits } from '../verbs/shapes.ts';
import { ask, cli, quiet } from './cli.ts';
import { atTerminal, KEY } from './terminal.ts';

const tempDir = tempDirs();
let dir = '';
const at = (name: string) => join(dir, name);
const read = (name: string) => (existsSync(at(name)) ? readFileSync(at(name), 'utf8') : null);
const START = '1\n2\n3\n4\n5\n';

interface Shown {
  readonly task: {
    id: string;
    short: string;
    status: string;
    files_undone: { at: string; by: string } | null;
  };
  readonly unfinished: string | null;
  readonly next: readonly string[];
}
const show = (task: string) => ask<Shown>(dir, 'show', task);

/** Runs a command to its end; answers its task. */
async function execute(command: string): Promise<string> {
  const { out } = await cli(dir, ['exec', '--json', '--', 'sh', '-c', command]);
  const { task } = (JSON.parse(out) as { data: { task: string } }).data;
  return task;
}

beforeEach(() => {
  dir = tempDir();
  writeFileSync(at('a.txt'), START);
});

test('what a command did is undone, also when it is over; the task, the lists and the history say so', async () => {
  const { err } = await quiet(dir, ['exec', '--', 'sh', '-c', 'echo 6 >> a.txt; echo new > b.txt']);
  const [, command] = /Undo its changes to files: vibe-engine (undo \w+)\n/.exec(err)!;
  const task = command!.split(' ')[1]!;
  expect((await show(task)).next).toContain(`vibe-engine undo ${task}`);

  const mute = await cli(dir, ['undo', task]);
  expect(mute.exit).toBe(3);
  expect(mute.out).toContain('1 file is restored: a.txt\n  1 file is removed: b.txt\n');
  expect(mute.err).toContain('--yes');
  const dry = await ask<{ plan: unknown[] }>(dir, 'undo', task, '--dry-run');
  expect(misfits(dry, undo.data)).toEqual([]);
  expect(dry).toMatchObject({ done: false, files: ['a.txt', 'b.txt'] });
  expect(read('b.txt')).toBe('new\n');
  const no = await atTerminal(dir, ['undo', task], [{ when: /Undo \w+\?/, type: `n${KEY.enter}` }]);
  expect([no.exit, read('b.txt')]).toEqual([4, 'new\n']);

  const done = await ask(dir, 'undo', task, '--yes');
  expect(misfits(done, undo.data)).toEqual([]);
  expect([read('a.txt'), read('b.txt')]).toEqual([START, null]);
  const shown = await show(task);
  expect(shown.task).toMatchObject({
    status: 'completed',
    files_undone: { by: expect.stringContaining('@') },
  });
  expect(shown.next).toContain(`vibe-engine redo ${task}`);
  expect(shown.next.join('\n')).not.toContain('undo');
  expect((await cli(dir, ['show', task])).out).toContain('files undone');
  expect((await cli(dir, ['tasks'])).out).toContain('(files undone)');
  expect((await cli(dir, ['history', task])).out).toMatch(/files undone by \S+@/);
  const again = await cli(dir, ['undo', task, '--yes']);
  expect(again.err).toMatch(/^error NOTHING_TO_UNDO: .*undone at[\s\S]*redo/);

  expect((await cli(dir, ['redo', task])).out).toContain('are back');
  expect([read('a.txt'), read('b.txt')]).toEqual([`${START}6\n`, 'new\n']);
  expect((await show(task)).task.files_undone).toBeNull();
});

test('without a name it is the newest task that changed files', async () => {
  const first = await execute('echo first > first.txt');
  const second = await execute('echo second > second.txt');
  await execute('ls > /dev/null');
  for (const [task, file] of [
    [second, 'second.txt'],
    [first, 'first.txt'],
  ] as const) {
    expect(await ask(dir, 'undo', '--yes')).toMatchObject({ task, files: [file], done: true });
    expect(read(file)).toBeNull();
  }
  expect((await cli(dir, ['undo', '--yes'])).err).toMatch(/^error NOTHING_TO_UNDO: No task here/);
  const { err } = await quiet(dir, ['exec', '--', 'true']);
  expect(err).not.toContain('undo');
});

test('what a person did since is merged by a flag; rollback of files alone works for a task that is over', async () => {
  const task = await execute('echo 6 >> a.txt');
  writeFileSync(at('a.txt'), `0\n${read('a.txt')}`);
  const open = await cli(dir, ['undo', task, '--yes']);
  expect([open.exit, open.err]).toEqual([3, expect.stringContaining('--on-modified')]);
  expect((await cli(dir, ['undo', task, '--yes', '--on-modified', 'merge'])).exit).toBe(0);
  expect(read('a.txt')).toBe(`0\n${START}`);
  expect((await cli(dir, ['redo', task, '--on-modified', 'merge'])).exit).toBe(0);
  expect(read('a.txt')).toBe(`0\n${START}6\n`);
  const short = (await show(task)).task.short;
  const whole = await cli(dir, ['rollback', `${short}-1`, '--yes']);
  expect(whole.err).toMatch(/^error NOT_RESUMABLE: [\s\S]*Fork[\s\S]*undo[\s\S]*--only files/);
  const files = ['rollback', `${short}-1`, '--only', 'files', '--yes', '--on-modified', 'merge'];
  expect((await cli(dir, files)).exit).toBe(0);
  expect(read('a.txt')).toBe(`0\n${START}`);
});

/** Leaves an undo as a process does that dies after it has noted what it is about to do. */
async function cutOff(task: string): Promise<void> {
  const engine = await openEngine({ project_dir: dir, workspace: true, signals: false });
  const claim = await engine.storage.claim(task);
  await noteUnfinished(engine.storage, claim, {
    checkpoint: null,
    cut: { task, seq: 0 },
    reason: 'as asked',
    only: 'files',
    before: (await engine.checkpoints.surveyCheckpoints(task)).checkpoints[0]!.snapshot!,
    on_modified: 'ask',
    on_deleted: 'ask',
    answers: {},
  });
  await claim.release();
  await engine.close();
}

test('cut off, show and doctor say what to type, and that finishes it', async () => {
  const task = await execute('echo 6 >> a.txt');
  await cutOff(task);
  const { unfinished, next } = await show(task);
  expect(unfinished).toBe('undo');
  expect(next[0]).toMatch(/^vibe-engine undo \w+$/);
  const listed = (await cli(dir, ['tasks'])).out;
  expect(listed).toContain(`(cut off, finish it: vibe-engine finish ${task.slice(-6)})`);
  expect((await cli(dir, ['doctor'])).out).toContain(`vibe-engine undo ${task.slice(-6)}`);
  expect((await cli(dir, ['undo', '--yes'])).exit).toBe(0);
  expect(read('a.txt')).toBe(START);
  expect((await show(task)).unfinished).toBeNull();
  expect((await cli(dir, ['doctor'])).exit).toBe(0);
});

test('commits that stay in git are named', async () => {
  newRepository(dir, { 'a.txt': START });
  const task = await execute('echo 6 >> a.txt; git commit -qam second');
  const { out } = await cli(dir, ['undo', task, '--yes']);
  expect(out).toMatch(
    /\nWhat was committed since it started stays in git: git log [0-9a-f]{10}\.\.[0-9a-f]{10}\n/,
  );
  expect((await cli(dir, ['checkpoints', 'list', task])).out).toMatch(/-3 .* while_running/);
});

test('finish finishes what was cut off, and says when there is nothing', async () => {
  const task = await execute('echo 6 >> a.txt');
  expect((await cli(dir, ['finish'])).out).toContain('Nothing was cut off.');
  await cutOff(task);
  const finished = await ask(dir, 'finish');
  expect(misfits(finished, finish.data)).toEqual([]);
  expect(finished).toEqual({ finished: [{ task, verb: 'undo' }] });
  expect(read('a.txt')).toBe(START);
  expect(await ask(dir, 'finish', task)).toEqual({ finished: [] });
});

test('as a slash command', async () => {
  const task = await execute('echo 6 >> a.txt');
  const engine = await openEngine({ project_dir: dir, workspace: true, signals: false });
  const answer = await handleSlashCommand(`/undo ${task} --yes`, engine);
  expect(answer).toMatchObject({ ok: true, data: { done: true } });
  expect(answer.lines.join('\n')).toContain('/redo');
  expect(read('a.txt')).toBe(START);
  await engine.close();
});

test.each([['zh-Hant', '撤銷'], ...unlessFull([], [['zh-Hans', '撤销']])])('in %s', async (lang, word) => {
  const task = await execute('echo 6 >> a.txt');
  expect((await cli(dir, ['undo', task, '--yes', '--lang', lang!])).out).toContain(word!);
});

test('a fork on the same files is told what the other task did to them since, and how to put that back', async () => {
  const task = await execute('echo 6 >> a.txt');
  const short = (await show(task)).task.short;
  const { out } = await cli(dir, ['fork', `${short}-1`]);
  expect(out).toMatch(/^1 file here is as the original task left it later: a\.txt\./);
  const [, command] = /first: vibe-engine (.*)\n/.exec(out)!;
  expect((await cli(dir, [...command!.split(' '), '--yes'])).exit).toBe(0);
  expect(read('a.txt')).toBe(START);
  expect(await ask(dir, 'fork', `${short}-1`)).toMatchObject({ changed_since: [] });
});

test('a preview says of files that others changed, too, what would become of them', async () => {
  writeFileSync(at('b.txt'), START);
  const task = await execute('echo 6 >> a.txt; echo 6 >> b.txt');
  writeFileSync(at('a.txt'), `0\n${START}6\n`);
  writeFileSync(at('b.txt'), `${START}seven\n`);
  const shown = async (...flags: string[]) =>
    (await cli(dir, ['undo', task, '--dry-run', ...flags])).out.split('\n').slice(1, -1);
  expect(await shown()).toEqual([
    '  You will be asked about 2 files that others changed, too: a.txt, b.txt',
    '  could be merged, removing the task’s changes and keeping those of others: a.txt',
    '  a.txt  −1 · 1 change stays · choose: use_current, use_checkpoint, merge, abort',
    '  b.txt  −1 · 1 change stays · the same lines were changed by others; choose: use_current, use_checkpoint, abort',
  ]);
  expect((await shown('--on-modified', 'merge')).slice(0, 2)).toEqual([
    '  1 file keeps the changes of others, without the task’s: a.txt',
    '  1 file cannot be merged, so nothing would be done; choose use_current or use_checkpoint for it: b.txt',
  ]);
  expect(await shown('--on-modified', 'use_checkpoint')).toEqual([
    '  2 files are restored, and the changes of others in them are lost: a.txt, b.txt',
    '  a.txt  −2',
    '  b.txt  −1',
  ]);
  expect(await shown('--on-modified', 'use_current')).toEqual([
    '  2 files that others changed stay as they are: a.txt, b.txt',
    '  a.txt  2 changes stay',
    '  b.txt  1 change stays',
  ]);
  const refused = await cli(dir, ['undo', task, '--on-modified', 'merge', '--yes']);
  expect([refused.exit === 0, read('a.txt')]).toEqual([false, `0\n${START}6\n`]);
});

test('at a terminal, the choices say what they do when a task’s changes are taken back', async () => {
  const task = await execute('echo 6 >> a.txt');
  writeFileSync(at('a.txt'), `0\n${START}6\n`);
  const { screen, exit } = await atTerminal(
    dir,
    ['undo', task, '--yes', '--lang', 'en'],
    [{ when: /● merge/, type: KEY.enter }],
  );
  expect(screen).toContain('remove the task’s changes, and keep those of others');
  expect(screen).toContain('restore the file as it was before the task');
  expect(screen).not.toContain('as the task had it');
  expect([exit, read('a.txt')]).toEqual([0, `0\n${START}`]);
});

test('each file can be decided about by its name', async () => {
  writeFileSync(at('b.txt'), START);
  const task = await execute('echo 6 >> a.txt; echo 6 >> b.txt');
  writeFileSync(at('a.txt'), `0\n${START}6\n`);
  writeFileSync(at('b.txt'), `${START}seven\n`);
  const wrong = await cli(dir, ['undo', task, '--on-modified', 'a.txt=both', '--yes']);
  expect([wrong.exit, wrong.err]).toEqual([2, expect.stringContaining('--on-modified')]);
  const choices = ['--on-modified', 'a.txt=merge', '--on-modified', 'b.txt=use_current'];
  const { out } = await cli(dir, ['undo', task, '--dry-run', ...choices]);
  expect(out.split('\n').slice(1, -1)).toEqual([
    '  1 file keeps the changes of others, without the task’s: a.txt',
    '  1 file that others changed stays as it is: b.txt',
    '  a.txt  −1 · 1 change stays',
    '  b.txt  1 change stays',
  ]);
  expect((await cli(dir, ['undo', task, '--yes', ...choices])).exit).toBe(0);
  expect([read('a.txt'), read('b.txt')]).toEqual([`0\n${START}`, `${START}seven\n`]);
});

test('cancelled after an undo: the files stay taken back, that is said, and redo brings them back', async () => {
  const task = await execute('echo 6 >> a.txt; exit 1');
  await ask(dir, 'undo', task, '--yes');
  const { out } = await cli(dir, ['cancel', task]);
  expect(out).toMatch(/is cancelled\. Its changes to files were undone before, and stay undone/);
  expect(out).not.toContain('Its changes stay');
  const [, redo] = /Bring them back: vibe-engine (redo \w+)\n/.exec(out)!;
  expect((await show(task)).next.join('\n')).toContain('redo');
  expect((await cli(dir, redo!.split(' '))).exit).toBe(0);
  expect(read('a.txt')).toBe(`${START}6\n`);
  expect((await show(task)).task).toMatchObject({ status: 'cancelled', files_undone: null });
});

test('where every file stays as it is, nothing is said to be taken back, and there is nothing to redo', async () => {
  const task = await execute('echo 6 >> a.txt');
  const changed = `0\n${START}6\n`;
  writeFileSync(at('a.txt'), changed);
  const short = (await show(task)).task.short;
  for (const verb of [
    ['undo', task],
    ['rollback', `${short}-1`, '--only', 'files'],
  ]) {
    const { exit, out } = await cli(dir, [...verb, '--yes', '--on-modified', 'use_current']);
    expect([exit, out]).toEqual([0, expect.stringContaining('Nothing was undone')]);
    expect(out).toContain('a.txt stays as it is: as chosen');
    expect(out).not.toMatch(/redo|are undone|are back/);
    expect((await show(task)).task.files_undone).toBeNull();
    expect((await show(task)).next.join('\n')).not.toContain('redo');
    expect((await cli(dir, ['redo', task])).err).toContain('NOTHING_TO_REDO');
  }
  expect((await cli(dir, ['tasks'])).out).not.toContain('(files undone)');
  expect((await cli(dir, ['history', task])).out).not.toContain('files undone');
  expect(await ask(dir, 'undo', task, '--yes', '--on-modified', 'use_current')).toMatchObject({
    done: false,
  });
  expect(read('a.txt')).toBe(changed);
  expect((await cli(dir, ['undo', task, '--yes', '--on-modified', 'merge'])).exit).toBe(0);
  expect(read('a.txt')).toBe(`0\n${START}`);
});
