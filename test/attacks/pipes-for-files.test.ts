/** A pipe in the place of a file of ours makes nobody wait for ever: it is refused in a sentence. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openEngine } from '../../src/engine/engine.ts';
import { defineTask } from '../../src/index.ts';
import { MAIN } from '../cli/cli.ts';
import { unlessFull } from '../support/full.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();

function putPipe(path: string): void {
  rmSync(path, { force: true });
  execFileSync('mkfifo', [path]);
}

/** Killed when it does not end: far longer than any command takes. */
const FOR_EVER_MS = 60_000;

function run(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { PATH, TMPDIR, HOME, NODE_COMPILE_CACHE } = process.env;
  const { signal, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
    cwd,
    env: { PATH, TMPDIR, HOME, NODE_COMPILE_CACHE, ...env },
    encoding: 'utf8',
    timeout: FOR_EVER_MS,
    killSignal: 'SIGKILL',
  });
  return { hung: signal !== null, said: stdout + stderr };
}

async function project(): Promise<{ dir: string; task: string }> {
  const dir = tempDir();
  const engine = await openEngine({ project_dir: dir });
  const task = defineTask('small', async (t) => t.step('one', () => 1));
  await engine.run(task, undefined, { task_id: 't-small' });
  await engine.close();
  return { dir, task: join(dir, '.vibe-engine', 'tasks', 't-small') };
}

test('settings of the project and of the user', async () => {
  const { dir } = await project();
  putPipe(join(dir, '.vibe-engine', 'config.json'));
  expect(run(dir, ['tasks'])).toEqual({ hung: false, said: expect.stringContaining('config.json') });
  const home = tempDir();
  mkdirSync(join(home, '.config', 'vibe-engine'), { recursive: true });
  putPipe(join(home, '.config', 'vibe-engine', 'config.json'));
  const other = run(tempDir(), ['tasks'], { HOME: home });
  expect(other).toEqual({ hung: false, said: expect.stringContaining('config.json') });
});

test('files of the store', { timeout: 10 * FOR_EVER_MS }, async () => {
  const hung: string[] = [];
  for (const name of ['store.json', 'records.log', 'records.index', 'numbers.floor']) {
    const { dir } = await project();
    putPipe(join(dir, '.vibe-engine', name));
    for (const verb of [...unlessFull([], [['tasks']]), ['exec', '--', 'true']])
      if (run(dir, verb).hung) hung.push(`${name} ${verb[0]}`);
  }
  const { task } = await project();
  for (const name of readdirSync(task).filter((one) => /\.(log|index|json)$/.test(one))) {
    const { dir, task: there } = await project();
    putPipe(join(there, name));
    if (run(dir, ['doctor']).hung) hung.push(`${name} doctor`);
  }
  expect(hung).toEqual([]);
});
