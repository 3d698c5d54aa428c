/** What a host offers beside its tools, asked by the client of the protocol's own SDK: a resource, a prompt, and a question to the person. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { tempDirs } from '../support/temp.ts';
import { MAIN } from './cli.ts';

const tempDir = tempDirs();

type Answer = { action: 'accept' | 'decline' };

/** A session with one prompt, in which a.txt was written; `person` answers what the host asks. */
async function session(person: (message: string) => Answer) {
  const project = tempDir();
  const { VIBE_ENGINE_TASK: _, ...env } = process.env as Record<string, string>;
  const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => person(params.message));
  const args = [MAIN, 'agent-host', 'claude'];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd: project, env, stderr: 'ignore' }),
  );
  const call = async (name: string, given: Record<string, unknown> = {}): Promise<string> => {
    const { content } = await client.callTool({ name, arguments: given });
    return (content as { text: string }[])[0]!.text;
  };
  const hook = (event: string, more: object) =>
    call('hook', { hook_event_name: event, session_id: 's-1', cwd: project, ...more });
  const file = join(project, 'a.txt');
  const write = { tool_name: 'Write', tool_use_id: 'c-1', tool_input: { file_path: file } };
  await hook('UserPromptSubmit', { prompt: 'Make a file.', prompt_id: 'p-1' });
  await hook('PreToolUse', write);
  writeFileSync(file, 'made\n');
  await hook('PostToolUse', { ...write, tool_response: 'ok' });
  await hook('Stop', { last_assistant_message: 'Made.' });
  const checkpoint = /^(\S+) .*Make a file\./m.exec(await call('checkpoints'))![1];
  const read = () => {
    try {
      return readFileSync(file, 'utf8');
    } catch {
      return null;
    }
  };
  return { client, call, checkpoint, read };
}

test('the session is a resource, and how to go back a prompt', async () => {
  const { client } = await session(() => ({ action: 'decline' }));
  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual(['vibe://session']);
  const { contents } = await client.readResource({ uri: 'vibe://session' });
  expect(contents).toMatchObject([{ uri: 'vibe://session', mimeType: 'text/plain' }]);
  const { text } = contents[0] as { text: string };
  expect(text).toContain('Make a file.');
  expect(text).toContain('a.txt');
  const { prompts } = await client.listPrompts();
  expect(prompts.map(({ name }) => name)).toEqual(['rewind']);
  const { messages } = await client.getPrompt({ name: 'rewind' });
  expect(messages).toMatchObject([{ role: 'user', content: { type: 'text' } }]);
  expect((messages[0]!.content as { text: string }).text).toContain('`checkpoints`');
  await client.close();
});

test('a rewind asks the person by the client, with what would happen, and obeys', async () => {
  const asked: string[] = [];
  let answer: Answer = { action: 'decline' };
  const { client, call, checkpoint, read } = await session((message) => {
    asked.push(message);
    return answer;
  });
  expect(await call('rewind', { checkpoint })).toContain('Nothing was changed');
  expect(read()).toBe('made\n');
  answer = { action: 'accept' };
  await call('rewind', { checkpoint });
  expect(read()).toBe(null);
  expect(asked).toHaveLength(2);
  expect(asked[0]).toContain('a.txt');
  await client.close();
});
