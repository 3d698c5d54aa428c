/** `agent-host` as a client starts it: a process that speaks MCP, records what hooks tell and answers the model. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openEngine } from '../../src/engine/engine.ts';
import { tempDirs } from '../support/temp.ts';
import { startHost } from './hosted.ts';

const tempDir = tempDirs();

test('hooks are recorded, tools answer the model, and it ends with its input', async () => {
  const project = tempDir();
  const host = startHost(project);
  expect((await host.ask('server/discover')).error).toMatchObject({ code: -32601 });
  await host.begin();
  const { result } = await host.ask('tools/list');
  const names = (result as { tools: { name: string }[] }).tools.map(({ name }) => name);
  expect(names).toEqual(['checkpoints', 'diff', 'who_has', 'rewind', 'redo']);
  expect(await host.call('checkpoints', {})).toContain('Nothing of this session');

  const file = join(project, 'a.txt');
  const prompt = async (n: number) =>
    host.hook({ hook_event_name: 'UserPromptSubmit', prompt: `do ${n}`, prompt_id: `p-${n}` });
  const write = async (n: number) => {
    const call = {
      tool_name: 'Write',
      tool_use_id: `c-${n}`,
      tool_input: JSON.stringify({ file_path: file }),
    };
    expect(await host.hook({ hook_event_name: 'PreToolUse', ...call })).toEqual({});
    writeFileSync(file, `version ${n}\n`);
    expect(await host.hook({ hook_event_name: 'PostToolUse', ...call, tool_response: 'ok' })).toEqual({});
  };
  await prompt(1);
  await write(1);
  await host.hook({ hook_event_name: 'Stop', last_assistant_message: 'First.' });
  await prompt(2);
  await write(2);

  expect(await host.call('checkpoints', {})).toContain('do 2');
  expect(await host.call('diff', {})).toContain('version 2');
  expect(await host.call('who_has', {})).toContain('a.txt');
  const engine = await openEngine({ project_dir: project, signals: false });
  const [task] = await engine.tasks();
  const turns = (await engine.checkpoints.listCheckpoints(task!.task_id)).filter(
    ({ trigger }) => trigger === 'before_turn',
  );
  expect(await host.call('rewind', { checkpoint: turns[1]!.id })).toContain('Nothing was changed');
  expect(readFileSync(file, 'utf8')).toBe('version 2\n');
  await host.call('rewind', { checkpoint: turns[1]!.id, confirmed: true });
  expect(readFileSync(file, 'utf8')).toBe('version 1\n');
  await host.end();
  expect(host.child.exitCode).toBe(0);
  expect(await engine.state(task!.task_id)).toMatchObject({ status: 'paused' });
  await engine.close();
});
