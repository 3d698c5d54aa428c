import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import { clean } from '../../src/verbs/care/clean.ts';
import { answer } from '../../src/verbs/change/answer.ts';
import { cancel } from '../../src/verbs/change/cancel.ts';
import { fork } from '../../src/verbs/change/fork.ts';
import { pause } from '../../src/verbs/change/pause.ts';
import { redo } from '../../src/verbs/change/redo.ts';
import { rollback } from '../../src/verbs/change/rollback.ts';
import { newRepository } from '../engine/file-world.ts';
import { onEachStore, type Store } from '../engine/stores.ts';
import { tempDirs } from '../support/temp.ts';
import { misfits } from '../verbs/shapes.ts';
import { ask, cli, MAIN } from './cli.ts';
import { atTerminal, inTerminal, KEY } from './terminal.ts';
import { configure, edits, populate, type Tasks } from './world.ts';

const tempDir = tempDirs();

interface Listed {
  readonly checkpoints: readonly { id: string; short: string; step_name: string | null }[];
}

onEachStore((fresh) => {
  let store: Store;
  let dir: string;
  let made: Tasks;
  beforeEach(async () => {
    store = await fresh();
    dir = store.dir;
    made = await populate(store);
  });
  const statusOf = async (id: string) =>
    (await ask<{ task: { status: string; detail: string } }>(dir, 'show', id)).task;

  test('pause and cancel stop a task that nobody runs', async () => {
    const data = await ask(dir, 'pause', made.interrupted, '--reason', 'tea');
    expect(misfits(data, pause.data)).toEqual([]);
    expect(await statusOf(made.interrupted)).toMatchObject({ status: 'paused', detail: 'tea' });
    const done = await cli(dir, ['cancel', 'migrate', '--reason', 'not needed']);
    expect(done).toMatchObject({ exit: 0, out: expect.stringContaining('"migrate" is cancelled') });
    expect(await statusOf(made.interrupted)).toMatchObject({ status: 'cancelled', detail: 'not needed' });
    const again = await cli(dir, ['pause', made.interrupted]);
    expect(again.exit).toBe(1);
    expect(again.err).toMatch(/^error ILLEGAL_TRANSITION: /);
    expect(misfits(await ask(dir, 'cancel', made.queued), cancel.data)).toEqual([]);
  });

  test('pause reaches a task that another process runs', async () => {
    const long = defineTask('long', async (task) => {
      for (let i = 0; i < 10_000; i++)
        await task.step(`step ${i}`, () => new Promise((end) => setTimeout(end, 5)));
    });
    const engine = await store.open({ tasks: [long] });
    const { id, outcome } = await engine.start(long, undefined);
    const { out } = await cli(dir, ['pause', id]);
    // It may have done so by the time one looks.
    expect(out).toMatch(/which was asked to pause it|"long" is paused/);
    expect(await outcome).toMatchObject({ status: 'paused' });
    await engine.close();
  });

  test('answer is kept until the task is resumed', async () => {
    const data = await ask(dir, 'answer', made.waiting, 'true');
    expect(misfits(data, answer.data)).toEqual([]);
    expect(data).toMatchObject({ value: true, holder: null });
    expect(await ask(dir, 'show', made.waiting)).toMatchObject({ task: { resumable: true } });
    const twice = await cli(dir, ['answer', made.waiting, 'false']);
    expect(twice.exit).toBe(1);
    expect(twice.err).toMatch(/QUESTION_ANSWERED: \w+ has already answered this question: true\./);
    const none = await cli(dir, ['answer', made.completed, 'yes']);
    expect(none.err).toContain('has no open question');
  });

  test('answer takes no to an approval for false, and to any other question for a text', async () => {
    expect(await ask(dir, 'answer', made.waiting, 'No')).toMatchObject({ value: false });
    expect(await ask(dir, 'answer', made.paused, 'no')).toMatchObject({ value: 'no' });
  });

  test('a question is whole at a terminal that does not tell its width', async () => {
    const sized = `stty cols 0 rows 0; exec '${process.execPath}' '${MAIN}' answer deploy`;
    const { exit, screen } = await inTerminal(
      dir,
      ['sh', '-c', sized],
      [{ when: /Deploy to production\?/, type: `y${KEY.enter}` }],
    );
    expect(screen).toContain('The answer is saved.');
    expect(exit).toBe(0);
  });

  test('answer asks at a terminal, and says what is missing where there is none', async () => {
    const mute = await cli(dir, ['answer', made.waiting]);
    expect(mute.exit).toBe(3);
    expect(mute.err).toMatch(
      /^error NEEDS_ANSWER: .*Deploy to production\?\nhint: .*the value after the task/,
    );
    const { exit, screen } = await atTerminal(
      dir,
      ['answer', 'deploy'],
      [{ when: /Deploy to production\?/, type: `y${KEY.enter}` }],
    );
    expect(screen).toContain('The answer is saved.');
    expect(exit).toBe(0);
    expect(await ask(dir, 'show', made.waiting)).toMatchObject({ waits: [{ answered: true }] });
  });

  test('rollback shows what goes, asks, and can be redone', async () => {
    const { checkpoints } = await ask<Listed>(dir, 'checkpoints', 'list', made.paused);
    const { short, id } = checkpoints[0]!;
    const mute = await cli(dir, ['rollback', short]);
    expect(mute.exit).toBe(3);
    expect(mute.out).toMatch(/^Going back to .* removes:\n {2}1 step: plan\n/);
    expect(mute.err).toContain('--yes');
    const no = await atTerminal(dir, ['rewind', short], [{ when: /Go back to/, type: `n${KEY.enter}` }]);
    expect(no.exit).toBe(4);
    expect(no.screen).toContain('Nothing was changed.');
    const dry = await ask(dir, 'rollback', short, '--dry-run');
    expect(misfits(dry, rollback.data)).toEqual([]);
    expect(dry).toMatchObject({ done: false, checkpoint: id, steps: [{ name: 'plan' }] });
    const yes = await atTerminal(
      dir,
      ['checkpoints', 'rollback', short],
      [{ when: /Go back to/, type: `yes${KEY.enter}` }],
    );
    expect(yes.exit).toBe(0);
    expect(yes.screen).toMatch(/Undo this: vibe-engine redo \w{6}/);
    expect(
      (await ask<Listed>(dir, 'checkpoints', 'list', made.paused)).checkpoints.map((one) => one.id),
    ).toContain(id);
    const redone = await ask(dir, 'redo', made.paused);
    expect(misfits(redone, redo.data)).toEqual([]);
    expect((await ask<Listed>(dir, 'checkpoints', 'list', made.paused)).checkpoints).toEqual(checkpoints);
    const over = await cli(dir, ['redo', made.paused]);
    expect(over.err).toMatch(/^error NOTHING_TO_REDO: /);
  });

  test('a task that is over is not rolled back but forked', async () => {
    const { checkpoints } = await ask<Listed>(dir, 'checkpoints', 'list', made.completed);
    const { short } = checkpoints.find(({ step_name }) => step_name === 'read')!;
    const refused = await cli(dir, ['rollback', short, '--yes']);
    expect(refused.exit).toBe(1);
    expect(refused.err).toMatch(/^error NOT_RESUMABLE: [\s\S]*Fork it/);
    const data = await ask<{ task: string }>(dir, 'fork', short, '--name', 'another way');
    expect(misfits(data, fork.data)).toEqual([]);
    expect(await ask(dir, 'show', data.task)).toMatchObject({
      task: { name: 'another way', status: 'paused', resumable: true },
      forked_from: checkpoints.find(({ step_name }) => step_name === 'read')!.id,
    });
    expect((await cli(dir, ['fork', `${short}9`])).err).toContain('Did you mean');
  });

  test('clean shows what goes, asks, and removes it', async () => {
    const before = (await ask<Listed>(dir, 'checkpoints', 'list', made.completed)).checkpoints.length;
    const dry = await ask<{ removed: { checkpoint: string }[] }>(
      dir,
      'clean',
      made.completed,
      '--keep',
      '1',
      '--dry-run',
    );
    expect(misfits(dry, clean.data)).toEqual([]);
    expect(dry.removed).toHaveLength(before - 1);
    const mute = await cli(dir, ['clean', '--completed']);
    expect(mute.exit).toBe(3);
    expect(mute.out).toMatch(/^\d checkpoints would be removed/);
    const yes = await atTerminal(
      dir,
      ['checkpoints', 'clean', made.completed, '--keep', '1'],
      [{ when: /Remove them\?/, type: `y${KEY.enter}` }],
    );
    expect(yes.screen).toMatch(/\d checkpoints removed/);
    expect(yes.exit).toBe(0);
    expect((await ask<Listed>(dir, 'checkpoints', 'list', made.completed)).checkpoints).toHaveLength(1);
    const nothing = await cli(dir, ['clean']);
    expect(nothing).toMatchObject({ exit: 0, out: 'There is nothing to clean up.\n' });
    expect((await cli(dir, ['clean', '--keep', '0'])).exit).toBe(2);
  });
});

onEachStore(
  (fresh) => {
    let dir: string;
    let task: string;
    const file = (name: string) => readFileSync(join(dir, name), 'utf8');
    beforeEach(async () => {
      const store = await fresh();
      dir = store.dir;
      newRepository(dir, { 'a.txt': '1\n2\n3\n4\n5\n6\n7\n8\n9\n', 'b.txt': 'b\n' });
      configure(store);
      const engine = await store.open({ workspace: true });
      task = await edits(engine, dir, [
        ['a.txt', 'ONE\n2\n3\n4\n5\n6\n7\n8\n9\n'],
        ['b.txt', 'changed\n'],
      ]);
      await engine.close();
    });

    test('rollback puts the task’s files back, and redo brings them forward', async () => {
      const { checkpoints } = await ask<Listed>(dir, 'checkpoints', 'list', task);
      const { short } = checkpoints[0]!;
      const dry = await cli(dir, ['rollback', short, '--dry-run']);
      expect(dry.out).toContain('2 files are restored: a.txt, b.txt');
      expect(file('b.txt')).toBe('changed\n');
      expect((await cli(dir, ['rollback', short, '--yes'])).exit).toBe(0);
      expect(file('a.txt')).toMatch(/^1\n2\n/);
      expect(file('b.txt')).toBe('b\n');
      expect((await cli(dir, ['redo', task])).exit).toBe(0);
      expect(file('b.txt')).toBe('changed\n');
    });

    test('what others changed too is asked about, or answered by a flag', async () => {
      writeFileSync(join(dir, 'b.txt'), 'a person was here\n');
      const { checkpoints } = await ask<Listed>(dir, 'checkpoints', 'list', task);
      const { short } = checkpoints[0]!;
      const mute = await cli(dir, ['rollback', short, '--yes']);
      expect(mute.exit).toBe(3);
      expect(mute.out).toContain('1 file is restored: a.txt\n');
      expect(mute.out).toContain('You will be asked about 1 file that others changed, too: b.txt\n');
      expect(mute.err).toContain('--on-modified');
      expect(file('b.txt')).toBe('a person was here\n');
      const { exit, screen } = await atTerminal(
        dir,
        ['rollback', short, '--yes'],
        [
          { when: /b\.txt.*Which version should be kept\?[\s\S]*● merge/, type: KEY.up },
          { when: /● use_checkpoint/, type: KEY.up },
          { when: /● use_current/, type: KEY.enter },
        ],
      );
      expect(screen).toContain('The task is back at');
      expect(screen).toContain('b.txt stays as it is: as chosen');
      expect(exit).toBe(0);
      expect(file('a.txt')).toMatch(/^1\n2\n/);
      expect(file('b.txt')).toBe('a person was here\n');
    });

    test('what others changed since a rollback is asked about when it is redone, or answered by a flag', async () => {
      const { checkpoints } = await ask<Listed>(dir, 'checkpoints', 'list', task);
      await ask(dir, 'rollback', checkpoints[0]!.short, '--yes');
      writeFileSync(join(dir, 'a.txt'), '1\n2\n3\n4\n5\n6\n7\n8\nNINE\n');
      const mute = await cli(dir, ['redo', task]);
      expect(mute.exit).toBe(3);
      expect(mute.err).toContain('--on-modified');
      expect(misfits(await ask(dir, 'redo', task, '--on-modified', 'merge'), redo.data)).toEqual([]);
      expect(file('a.txt')).toBe('ONE\n2\n3\n4\n5\n6\n7\n8\nNINE\n');
      expect(file('b.txt')).toBe('changed\n');
    });

    test('fork puts the files of the checkpoint where the new task works', async () => {
      const { checkpoints } = await ask<Listed>(dir, 'checkpoints', 'list', task);
      const { short } = checkpoints.at(-1)!;
      const other = tempDir();
      const forked = await ask<{ task: string }>(dir, 'fork', short, '--dir', other);
      expect(readFileSync(join(other, 'b.txt'), 'utf8')).toBe('changed\n');
      expect(await ask(dir, 'show', forked.task)).toMatchObject({ working_dir: other });
    });
  },
  ['json', 'sqlite'],
);
