/** A server that is killed while it takes a task back: the next one finishes that by itself. */
import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Dashboard } from '../../src/dashboard/server.ts';
import { ask, cli } from '../cli/cli.ts';
import { tempDirs } from '../support/temp.ts';
import { until } from '../support/until.ts';
import { dashboards, post } from './open.ts';

const tempDir = tempDirs();
const open = dashboards();

const read = (dir: string) =>
  ['a.txt', 'b.txt', 'made.txt'].map((name) =>
    existsSync(join(dir, name)) ? readFileSync(join(dir, name), 'utf8') : null,
  );

/**
 * A task that changed three files, of which a person changed one in the same place and has merged it; undone by a server that
 * dies before it comes to that one.
 */
async function killedWhileUndoing(): Promise<{ dir: string; task: string }> {
  const dir = tempDir();
  for (const name of ['a.txt', 'b.txt']) writeFileSync(join(dir, name), 'mine\n');
  const words = ['exec', '--json', '--', 'sh', '-c', 'echo its > a.txt; echo its > b.txt; echo x > made.txt'];
  const { task } = (JSON.parse((await cli(dir, words)).out) as { data: { task: string } }).data;
  writeFileSync(join(dir, 'b.txt'), 'own\n');
  const program = join(import.meta.dirname, 'serve-child.ts');
  const child = spawn(process.execPath, [program, JSON.stringify({ dir, deadly: '/b.txt' })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const [told] = (await once(child.stdout, 'data')) as [Buffer];
  const server = JSON.parse(String(told)) as Pick<Dashboard, 'port' | 'key'>;
  const { data } = await post<{ expect: number }>(server, 'undo', {
    args: { task },
    options: { 'dry-run': true },
  });
  const merged = { text: ['b.txt=merged\n'], 'expect-file': [`b.txt=${hash('sha256', 'own\n')}`] };
  const undoing = post(server, 'undo', {
    args: { task },
    options: { yes: true, expect: data.expect, ...merged },
  });
  await expect(undoing).rejects.toThrow();
  expect((await ended)[1]).toBe('SIGKILL');
  expect(await ask(dir, 'show', task)).toMatchObject({ unfinished: 'undo' });
  return { dir, task };
}

test('the next server finishes it, and says that it was the dashboard', async () => {
  const { dir, task } = await killedWhileUndoing();
  expect(read(dir)).not.toEqual(['mine\n', 'merged\n', null]);
  await open({ dir });
  await until(() => expect(read(dir)).toEqual(['mine\n', 'merged\n', null]));
  await until(async () =>
    expect(await ask(dir, 'show', task)).toMatchObject({
      unfinished: null,
      can_redo: true,
      task: { files_undone: { by: 'dashboard' } },
    }),
  );
});

test('a read-only one leaves it, and the command line finishes it, once', async () => {
  const { dir, task } = await killedWhileUndoing();
  const server = await open({ dir, read_only: true });
  const { data } = await post<{ unfinished: string }>(server, 'show', {
    args: { task },
    options: { brief: true },
  });
  expect(data.unfinished).toBe('undo');
  const finished = await ask(dir, 'finish');
  expect(finished).toEqual({ finished: [{ task, verb: 'undo' }] });
  expect(read(dir)).toEqual(['mine\n', 'merged\n', null]);
  expect(await ask(dir, 'finish', task)).toEqual({ finished: [] });
});
