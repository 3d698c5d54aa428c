/** A command that failed is shown as failed, although its step is done. */
import { expect, test } from 'vitest';
import { groundAt } from '../drift/ground.ts';
import { tempDirs } from '../support/temp.ts';
import { ask, cli, quiet } from './cli.ts';

const tempDir = tempDirs();

test.each([
  ['exit 3', '✗', 'failed'],
  ['kill -9 $$', '✗', 'failed'],
  ['exit 0', '✓', null],
])('%s: %s', async (command, mark, said) => {
  const { dir } = groundAt(tempDir()).work;
  await quiet(dir, ['exec', '--', 'sh', '-c', command]);
  const { tasks } = await ask<{ tasks: { id: string }[] }>(dir, 'tasks');
  const { id } = tasks[0]!;
  const { out } = await cli(dir, ['show', id]);
  expect(out).toMatch(new RegExp(`${mark} +tool:shell`));
  if (said === null) return;
  const again = await cli(dir, ['retry', id, '--yes']);
  expect(again.err).toContain(`Last progress: step "tool:shell" ${said} (`);
});
