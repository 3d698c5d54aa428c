/** What people do first, in the order in which README has it, and what they mistype. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { tempDirs } from '../support/temp.ts';
import { until } from '../support/until.ts';
import { ask, cli, command, MAIN, quiet } from './cli.ts';

const tempDir = tempDirs();
let dir = '';
beforeEach(() => {
  dir = tempDir();
});

const APPROVES = `import { defineTask } from 'vibe-engine';
export default defineTask('approves', async (task) => {
  const ok = await task.waitFor('human_approval', { prompt: 'Delete everything?' });
  return ok ? 'deleted' : 'kept';
});
`;

/** Runs the task until it waits, then kills it. */
async function killedAtItsQuestion(): Promise<string> {
  writeFileSync(join(dir, 'approves.ts'), APPROVES);
  const child = spawn(process.execPath, [MAIN, 'run', 'approves.ts'], { cwd: dir, stdio: 'ignore' });
  const ended = once(child, 'exit');
  const task = await until(async () => {
    const { tasks } = await ask<{ tasks: { id: string; status: string }[] }>(dir, 'tasks');
    expect(tasks).toMatchObject([{ status: 'waiting' }]);
    return tasks[0]!.id;
  });
  child.kill('SIGKILL');
  await ended;
  return task;
}

test('a task that was killed while it waits is resumed without its id, and offered to be', async () => {
  const task = await killedAtItsQuestion();
  const { next } = await ask<{ next: string[] }>(dir, 'show', task);
  expect(next).toContain(`vibe-engine resume ${task.slice(-6)}`);
  await cli(dir, ['answer', 'approves', 'no']);
  const { out } = await cli(dir, ['resume', '--json']);
  expect(JSON.parse(out)).toMatchObject({ data: { task, status: 'completed', output: 'kept' } });
});

test('an approval is answered by yes or no, and by nothing that merely is no "no"', async () => {
  const task = await killedAtItsQuestion();
  for (const odd of ['nope', 'no!', 'off', '0', '"no"']) {
    const { exit, err } = await cli(dir, ['answer', 'approves', odd]);
    expect([exit, err]).toEqual([2, expect.stringContaining('neither yes nor no')]);
  }
  expect((await cli(dir, ['answer', 'approves', 'NO'])).exit).toBe(0);
  const { out } = await cli(dir, ['resume', task, '--json']);
  expect(JSON.parse(out)).toMatchObject({ data: { output: 'kept' } });
});

test('a task file with import runs in a package of the kind that npm init makes', async () => {
  writeFileSync(join(dir, 'package.json'), '{ "type": "commonjs" }');
  writeFileSync(join(dir, 'model.ts'), 'export const answer: number = 42;\n');
  writeFileSync(
    join(dir, 'task.ts'),
    `import { defineTask } from 'vibe-engine';
import { answer } from './model.ts';
export default defineTask('asks', (task) => task.step('ask', () => answer));
`,
  );
  const { out } = await cli(dir, ['run', 'task.ts', '--json']);
  expect(JSON.parse(out)).toMatchObject({ data: { status: 'completed', output: 42 } });
});

test('redo without a task brings back what was taken back last', async () => {
  const file = join(dir, 'a.txt');
  writeFileSync(file, 'one\n');
  expect((await cli(dir, ['redo'])).exit).not.toBe(0);
  await quiet(dir, ['exec', '--', 'sh', '-c', 'echo two >> a.txt']);
  await cli(dir, ['undo', '--yes']);
  expect(readFileSync(file, 'utf8')).toBe('one\n');
  expect((await command(dir, ['redo'])).exit).toBe(0);
  expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n');
});

test.each([
  [
    'a.ts',
    "import { defineTask } from 'vibe-engine';\nexport default (\n  1 +;\n);\n",
    'a.ts:3:6: Expression expected',
  ],
  ['a.mjs', 'export default 1;\nconst b = ];\n', "a.mjs:2:11: Unexpected token ']'"],
  ['a.mjs', 'export default 1;\nboom();\n', 'a.mjs:2:1: boom is not defined'],
  ['a.mjs', "import 'nope';\n", "Cannot find package 'nope'"],
])('a file that cannot be loaded says where: %s with %j', async (name, code, said) => {
  writeFileSync(join(dir, name), code);
  const { exit, err } = await command(dir, ['run', name]); // As Node loads it.
  expect([exit, err]).toEqual([2, expect.stringContaining(`error USAGE: ${name} cannot be loaded: ${said}`)]);
});

test('input that is no JSON says where, and a file of it that is not there which one is meant', async () => {
  writeFileSync(join(dir, 'approves.ts'), APPROVES);
  writeFileSync(join(dir, 'input.json'), '{\n  "a" 1\n}');
  expect((await cli(dir, ['run', 'approves.ts', '--input', '@input.json'])).err).toContain(
    'The input is not JSON: "1" at line 2, column 7',
  );
  expect((await cli(dir, ['run', 'approves.ts', '--input', '@inptu.json'])).err).toContain(
    'Did you mean "@input.json"?',
  );
});

test('who calls the program through npx can type the commands of help and hints as they are', async () => {
  const npx = { npm_command: 'exec' };
  const { out: help } = await cli(dir, ['rollback', '--help'], npx);
  expect(help).toContain('Usage: npx vibe-engine rollback');
  expect(help).not.toMatch(/(?<!npx )vibe-engine [a-z]/);
  const { err: usage } = await cli(dir, ['rollback'], npx);
  expect(usage).toContain('hint: "npx vibe-engine rollback --help" shows the usage.');

  await cli(dir, ['exec', '--', 'true']);
  const state = await ask<{ tasks: { id: string }[] }>(dir, 'tasks');
  const fork = ['resume', state.tasks[0]!.id];
  const { err: plain } = await cli(dir, fork);
  expect(plain).toMatch(/hint: .* vibe-engine /);
  const { err: called } = await cli(dir, fork, npx);
  expect(called).toBe(plain.replace(/ vibe-engine /g, ' npx vibe-engine '));
});
