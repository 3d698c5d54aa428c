/** Hooks that a host hands to another process, which is stopped, continued and killed: each is recorded once. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDirs } from '../support/temp.ts';
import { until } from '../support/until.ts';
import { ask, MAIN } from './cli.ts';
import { startHost } from './hosted.ts';

const tempDir = tempDirs();

const HUNG = { systemMessage: expect.stringContaining('does not answer') };
const PROMPT = { hook_event_name: 'UserPromptSubmit', prompt: 'Go.', prompt_id: 'p-1' };
const STOP = { hook_event_name: 'Stop', last_assistant_message: 'Done.' };

const call = (tool_use_id: string) => ({
  tool_name: 'Bash',
  tool_use_id,
  tool_input: { command: `echo ${tool_use_id}` },
});
const before = (id: string) => ({ hook_event_name: 'PreToolUse', ...call(id) });
const after = (id: string) => ({ hook_event_name: 'PostToolUse', ...call(id), tool_response: 'ok' });

interface Step {
  readonly name: string;
  readonly status: string;
}

async function theTask(project: string): Promise<string> {
  const { tasks } = await ask<{ tasks: { id: string }[] }>(project, 'tasks');
  expect(tasks).toHaveLength(1);
  return tasks[0]!.id;
}

async function stepsOf(project: string): Promise<string[]> {
  const { steps } = await ask<{ steps: Step[] }>(project, 'history', await theTask(project));
  return steps.map(({ name, status }) => `${name} ${status}`);
}

test('another host of the client: nobody records in its place, and with --strict the call is refused', async () => {
  const project = tempDir();
  const args = ['codex', `--client-process=${process.pid}0000`];
  const first = startHost(project, {}, undefined, args);
  await first.begin();
  const second = startHost(project, {}, undefined, args);
  const strict = startHost(project, {}, undefined, [...args, '--strict']);
  await Promise.all([second.begin(), strict.begin()]);
  await second.hook(PROMPT);
  await second.hook(STOP); // The task is free: whoever records the next call could have it.

  first.child.kill('SIGSTOP');
  const [told, refused] = await Promise.all([second.hook(before('c-1')), strict.hook(before('c-2'))]);
  expect(told).toEqual(HUNG);
  expect(refused).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
  expect(await second.hook(before('c-3'))).toEqual({}); // It is neither told nor waited for again.
  expect(await stepsOf(project)).toEqual([]);

  first.child.kill('SIGCONT');
  await until(async () => expect(await stepsOf(project)).toHaveLength(2));
  expect(await second.hook(after('c-1'))).toEqual({});
  await second.hook(STOP);
  // The refused one has no end of its own.
  expect((await stepsOf(project)).sort()).toEqual(['tool:Bash skipped', 'tool:Bash success']);

  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  await second.hook({ ...PROMPT, prompt_id: 'p-2' });
  await second.hook(before('c-4'));
  await second.hook(after('c-4'));
  await second.hook(STOP);
  await Promise.all([second.end(), strict.end()]);
  expect((await stepsOf(project)).filter((step) => step.endsWith('success'))).toHaveLength(2);
});

test('a running exec: it alone records, and a host continues its task once it was killed', async () => {
  const project = tempDir();
  const command = 'while [ ! -e go ]; do [ -d . ] || exit 1; sleep 0.05; done';
  const exec = spawn(process.execPath, [MAIN, 'exec', '--', 'sh', '-c', command], {
    cwd: project,
    stdio: 'ignore',
  });
  const task = await until(() => theTask(project));
  const host = startHost(project, {}, task);
  await host.begin();
  await until(async () => {
    await host.hook(PROMPT);
    expect(await ask(project, 'show', task)).toMatchObject({ turns: [{ prompt: 'Go.' }] });
  });
  const calls = async () => (await stepsOf(project)).filter((step) => step.startsWith('tool:Bash'));

  exec.kill('SIGSTOP');
  expect(await host.hook(before('c-1'))).toEqual(HUNG);
  expect(await host.hook(before('c-2'))).toEqual({});
  expect(await calls()).toEqual([]);

  exec.kill('SIGCONT');
  await until(async () => expect(await calls()).toHaveLength(1));
  await host.hook(after('c-1'));
  expect(await calls()).toEqual(['tool:Bash success']);

  exec.kill('SIGKILL');
  await once(exec, 'exit');
  await host.hook({ ...PROMPT, prompt_id: 'p-2' });
  await host.hook(before('c-3'));
  await host.hook(after('c-3'));
  await host.hook(STOP);
  await host.end();
  writeFileSync(join(project, 'go'), '');
  expect(await calls()).toEqual(['tool:Bash success', 'tool:Bash success']);
});
