/** `drift` and `history` where upstream has moved under a task. */
import { expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import { openEngine } from '../../src/engine/engine.ts';
import { drift } from '../../src/verbs/look/drift.ts';
import { groundAt, pushed } from '../drift/ground.ts';
import { untilStatus } from '../engine/letters.ts';
import { tempDirs } from '../support/temp.ts';
import { misfits } from '../verbs/shapes.ts';
import { ask, cli } from './cli.ts';

const tempDir = tempDirs();

const editing = defineTask('editing', async (task) => {
  await task.files.write('a.txt', 'mine\n');
  return task.waitFor('user_input');
});

test('what upstream brought is told with its severity, and then with what was decided', async () => {
  const ground = groundAt(tempDir());
  const { dir } = ground.work;
  const open = () => openEngine({ project_dir: dir, workspace: true, signals: false, tasks: [editing] });
  const first = await open();
  const { id, outcome } = await first.start(editing, undefined);
  await untilStatus(first, id, 'waiting');
  await first.pause(id);
  await outcome;
  await first.close();

  pushed(ground, 'theirs', { 'a.txt': 'theirs\n' });
  const { out } = await cli(dir, ['drift']);
  expect(out).toContain('origin/main has 1 new commit (severity high)\n  changed on both sides: a.txt\n');
  expect(out).toContain('not decided yet: new commits upstream');
  expect(out).toMatch(
    /What you can do: vibe-engine restart \w+ --upstream {3}vibe-engine resume \w+ --on-upstream=ignore\n/,
  );
  expect(misfits(await ask(dir, 'drift', id), drift.data)).toEqual([]);
  expect((await cli(dir, ['drift', '--stored'])).out).toContain('Up to date with origin/main.');

  const second = await open();
  await second.resume(id, { on_upstream: 'ignore' });
  await second.close();
  expect((await cli(dir, ['history', id])).out).toMatch(/Drift at .+: new commits upstream \(ignored\)/);

  await ask(dir, 'cancel', id);
  expect((await cli(dir, ['drift'])).out).toBe(
    `Every task here that worked in a git repository has ended. To check one anyway: vibe-engine drift ${id.slice(-6)}\n`,
  );
});
