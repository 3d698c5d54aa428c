/** Going on: what failed again, from a step, from a checkpoint, with one of several; and what others did meanwhile. */
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { checkpointsResume } from '../../src/verbs/run/checkpoints-resume.ts';
import { retry } from '../../src/verbs/run/retry.ts';
import { newRepository } from '../engine/file-world.ts';
import { onEachStore } from '../engine/stores.ts';
import { misfits } from '../verbs/shapes.ts';
import { ask, cli } from './cli.ts';
import { atTerminal, KEY } from './terminal.ts';
import { configure } from './world.ts';

/** Three steps; the second changes a file, the third fails as long as there is no file `ok`. */
const TASK = `import { appendFileSync, existsSync } from 'node:fs';
import { defineTask } from 'vibe-engine';
const ran = (name) => appendFileSync('.vibe-engine/ran.txt', name + ' ');
export default defineTask('fetch', async (task) => {
  await task.step('sign in', () => ran('in'));
  await task.step('note', () => { ran('note'); });
  await task.files.write('a.txt', 'the task was here\\n');
  await task.step('fetch', () => {
    ran('fetch');
    if (!existsSync('.vibe-engine/ok')) throw new Error('the API answered 503');
  });
  return 'fetched';
});
`;

onEachStore((fresh) => {
  let dir: string;
  let task: string;
  const ran = () => readFileSync(join(dir, '.vibe-engine', 'ran.txt'), 'utf8').trim();
  const mend = () => writeFileSync(join(dir, '.vibe-engine', 'ok'), '');
  const run = async (...args: string[]) =>
    (await ask<{ task: string }>(dir, 'run', 'task.mjs', ...args)).task;
  beforeEach(async () => {
    const store = await fresh();
    dir = store.dir;
    newRepository(dir, { 'a.txt': 'a\n', 'task.mjs': TASK });
    configure(store);
    task = await run();
    expect(ran()).toBe('in note fetch');
  });

  test('retry runs what failed again, as often as it is told', async () => {
    const { exit, out } = await cli(dir, ['retry', task.slice(-6), '--attempts', '2']);
    expect(exit).toBe(1);
    expect(out).toContain('the API answered 503');
    expect(ran()).toBe('in note fetch fetch fetch');
    mend();
    const data = await ask(dir, 'retry', task);
    expect(misfits(data, retry.data)).toEqual([]);
    expect(data).toMatchObject({ task, status: 'completed', output: 'fetched' });
    expect(ran()).toBe('in note fetch fetch fetch fetch');
    const over = await cli(dir, ['retry', task]);
    expect([over.exit, over.err]).toEqual([1, expect.stringContaining('error NOT_RESUMABLE')]);
  });

  test('retry goes back to before a step, by its name', async () => {
    mend();
    const wrong = await cli(dir, ['retry', task, '--from-step', 'nota']);
    expect([wrong.exit, wrong.err]).toEqual([2, expect.stringContaining('Did you mean "note"?')]);
    const mute = await cli(dir, ['retry', task, '--from-step', 'note']);
    expect([mute.exit, mute.err]).toEqual([3, expect.stringContaining('--take-back')]);
    expect(mute.out + mute.err).toContain('1 file is restored: a.txt');
    expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('the task was here\n');
    expect(ran()).toBe('in note fetch');
    expect(await ask(dir, 'retry', task, '--from-step', 'note', '--take-back')).toMatchObject({
      status: 'completed',
    });
    expect(ran()).toBe('in note fetch note fetch');
  });

  test('checkpoints resume goes on from the checkpoint', async () => {
    mend();
    const { checkpoints } = await ask<{ checkpoints: { short: string; step_name: string | null }[] }>(
      dir,
      'checkpoints',
      'list',
      task,
    );
    const { short } = checkpoints.find(({ step_name }) => step_name === 'sign in')!;
    const wrong = await cli(dir, ['checkpoints', 'resume', `${short}0`]);
    expect([wrong.exit, wrong.err]).toEqual([
      1,
      expect.stringContaining(`Did you mean "${checkpoints.at(-1)!.short}"?`),
    ]);
    const more = await cli(dir, ['checkpoints', 'resume', short, '--', '--model', 'opus']);
    expect([more.exit, more.err]).toEqual([2, expect.stringContaining('Only an agent’s own program')]);
    const mute = await cli(dir, ['checkpoints', 'resume', short]);
    expect([mute.exit, mute.err]).toEqual([3, expect.stringContaining('--take-back')]);
    const no = await atTerminal(
      dir,
      ['checkpoints', 'resume', short],
      [{ when: /from there\?/, type: `n${KEY.enter}` }],
    );
    expect([no.exit, ran()]).toEqual([4, 'in note fetch']);
    const data = await ask(dir, 'checkpoints', 'resume', short, '--take-back');
    expect(misfits(data, checkpointsResume.data)).toEqual([]);
    expect(data).toMatchObject({ task, status: 'completed' });
    expect(ran()).toBe('in note fetch note fetch');
  });

  test('what others changed meanwhile is answered by flags, or stays as it is', async () => {
    mend();
    writeFileSync(join(dir, 'a.txt'), 'a person was here\n');
    for (const words of [
      ['resume', task],
      ['retry', task],
    ]) {
      const mute = await cli(dir, words);
      expect([mute.exit, mute.err]).toEqual([3, expect.stringMatching(/a\.txt[\s\S]*--on-modified/)]);
    }
    const aborted = await cli(dir, ['retry', task, '--on-modified', 'abort']);
    expect([aborted.exit, aborted.err]).toEqual([1, expect.stringContaining('ENVIRONMENT_CHANGED')]);
    expect(await ask(dir, 'resume', task, '--yes')).toMatchObject({ status: 'completed' });
    expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('a person was here\n');
  });

  test('what others deleted is put back, when that is wanted', async () => {
    mend();
    rmSync(join(dir, 'a.txt'));
    const mute = await cli(dir, ['resume', task]);
    expect([mute.exit, mute.err]).toEqual([3, expect.stringMatching(/a\.txt[\s\S]*--on-deleted/)]);
    expect(existsSync(join(dir, 'a.txt'))).toBe(false);
    await ask(dir, 'resume', task, '--on-deleted', 'restore');
    expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('the task was here\n');
  });

  test('resume alone takes the only task there is, and asks where there are several', async () => {
    const other = await run('--name', 'the other');
    mend();
    appendFileSync(join(dir, '.vibe-engine', 'ran.txt'), '| ');
    const mute = await cli(dir, ['resume']);
    expect([mute.exit, mute.err]).toEqual([
      3,
      expect.stringContaining(`vibe-engine resume ${other.slice(-6)}   vibe-engine resume ${task.slice(-6)}`),
    ]);
    const { exit, screen } = await atTerminal(
      dir,
      ['resume'],
      [{ when: /Which task should resume\?[\s\S]*the other[\s\S]*fetch/, type: KEY.down + KEY.enter }],
    );
    expect([exit, screen]).toEqual([0, expect.stringContaining(`Task ${task.slice(-6)} is completed.`)]);
    expect(await ask(dir, 'resume')).toMatchObject({ task: other, status: 'completed' });
  });

  test('a policy that there is not is refused with the nearest one', async () => {
    for (const verb of [['resume'], ['retry', task], ['checkpoints', 'resume', `${task}-1`]])
      for (const [flag, wrong, right] of [
        ['--on-modified', 'mrge', 'merge'],
        ['--on-deleted', 'restor', 'restore'],
        ['--on-upstream', 'ignroe', 'ignore'],
        ['--on-environment', 'contineu', 'continue'],
      ] as const) {
        const { exit, err } = await cli(dir, [...verb, flag, wrong]);
        expect([exit, err]).toEqual([2, expect.stringContaining(`Did you mean "${right}"?`)]);
      }
  });
});
