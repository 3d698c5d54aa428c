/** What `show` says can be done with a task, and why not the rest: each as the verb itself has it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import { openEngine } from '../../src/engine/engine.ts';
import { ask, cli } from '../cli/cli.ts';
import { untilStatus } from '../engine/letters.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();

interface Action {
  readonly verb: string;
  readonly args: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, string>>;
  readonly allowed: boolean;
  readonly why_not: string | null;
}

const edits = defineTask('edits', async (task) => {
  await task.files.write('a.txt', 'mine\n');
  return task.waitFor('human_approval', { prompt: 'Enough?' });
});

test('follow the task: while it runs, paused, rolled back, brought back, ended', async () => {
  const dir = tempDir();
  writeFileSync(join(dir, 'a.txt'), 'theirs\n');
  const engine = await openEngine({ project_dir: dir, workspace: true, signals: false, tasks: [edits] });
  const { id, outcome } = await engine.start(edits, undefined);
  await untilStatus(engine, id, 'waiting');
  const actions = async (): Promise<Record<string, Action>> => {
    const shown = await ask<{ actions: Action[] }>(dir, 'show', id);
    return Object.fromEntries(shown.actions.map((one) => [one.verb, one]));
  };
  const allowed = async (): Promise<string[]> =>
    Object.values(await actions())
      .filter((one) => one.allowed)
      .map(({ verb }) => verb);

  expect(await allowed()).toEqual(['answer', 'pause', 'cancel', 'fork']);
  const running = await actions();
  expect(running.answer!.options).toEqual({ wait: '/wait#1' });
  for (const verb of ['resume', 'rollback', 'undo', 'redo'])
    expect(running[verb]).toMatchObject({ allowed: false, why_not: 'It is running: pause it first.' });
  expect(running.retry!.why_not).toBe('It has not failed.');

  await engine.pause(id);
  await outcome;
  expect(await allowed()).toEqual(['answer', 'resume', 'cancel', 'rollback', 'undo', 'fork']);
  expect((await actions()).redo!.why_not).toBe('Nothing was rolled back, or the task has continued since.');
  expect((await actions()).pause!.why_not).toBe('It is not running.');

  // What is allowed works as it is named there; what is not is refused by the verb, too.
  const { undo } = await actions();
  await ask(dir, 'undo', undo!.args.task!, '--yes');
  expect(await allowed()).toContain('redo');
  await ask(dir, 'redo', (await actions()).redo!.args.task!, '--yes');
  expect(await allowed()).not.toContain('redo');
  const { rollback } = await actions();
  await ask(dir, 'rollback', rollback!.args.checkpoint!, '--yes');

  await ask(dir, 'cancel', id);
  const ended = await actions();
  for (const verb of ['answer', 'resume', 'pause', 'cancel', 'rollback']) {
    expect(ended[verb]).toMatchObject({
      allowed: false,
      why_not: 'It has ended: fork it to continue differently.',
    });
  }
  expect((await cli(dir, ['rollback', rollback!.args.checkpoint!, '--yes'])).exit).toBe(1);
  expect(ended.fork!.allowed).toBe(true);
  await ask(dir, 'fork', ended.fork!.args.checkpoint!);
  await engine.close();
});
