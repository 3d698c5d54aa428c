/** The relay before a host: one that dies is started again, and one that hangs is waited for once. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { answerLimit } from '../../src/agents/patience.ts';
import { hookPatience } from '../../src/cli/agents/patience.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
const RELAY = fileURLToPath(new URL('../../src/system/process/relay.ts', import.meta.url));

/** Answers with its process and all that it was asked; dies or hangs where it is asked to, and answers that at the next request. */
const HOST = `
import { createInterface } from 'node:readline';
const asked = [];
let late;
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  asked.push(method);
  if (method === 'die') process.exit(1);
  if (method === 'hang') {
    late = id;
    continue;
  }
  if (late !== undefined) console.log(JSON.stringify({ id: late, result: 'late' }));
  late = undefined;
  if (id !== undefined) console.log(JSON.stringify({ id, result: { pid: process.pid, asked } }));
}
`;

/** Each request says itself how long it may take. */
const MAIN = (host: string) => `
import { relay } from ${JSON.stringify(RELAY)};
const limitOf = (method, params) => params?.limit ?? null;
const instead = async (first) => ({ instead: true, first });
process.exit(await relay(${JSON.stringify([process.execPath, host])}, { limitOf, instead }));
`;

function startRelay() {
  const dir = tempDir();
  const host = join(dir, 'host.mjs');
  const main = join(dir, 'main.mjs');
  writeFileSync(host, HOST);
  writeFileSync(main, MAIN(host));
  const child = spawn(process.execPath, [main], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    send: (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`),
    said: async () => JSON.parse(String((await lines.next()).value)) as Answer,
  };
}

test('a host that dies is started again, and greeted as the client did', async () => {
  const { child, send, said } = startRelay();
  send({ id: 0, method: 'initialize' });
  const first = await said();
  expect(first).toMatchObject({ id: 0, result: { asked: ['initialize'] } });
  send({ method: 'notifications/initialized' });
  send({ id: 1, method: 'die' });
  expect(await said()).toMatchObject({ id: 1, error: { code: -32603 } });
  send({ id: 2, method: 'ping' });
  const next = await said();
  expect(next).toMatchObject({
    id: 2,
    result: { asked: ['initialize', 'notifications/initialized', 'ping'] },
  });
  expect(next.result!.pid).not.toBe(first.result!.pid);
  child.stdin.end();
  expect((await once(child, 'exit'))[0]).toBe(0);
});

test('a host that hangs is waited for once, until it answers', async () => {
  const { child, send, said } = startRelay();
  const long = { limit: 600_000 };
  send({ id: 1, method: 'hang', params: { limit: 20 } });
  expect(await said()).toMatchObject({ id: 1, result: { instead: true, first: true } });
  send({ id: 2, method: 'hook', params: long });
  expect(await said()).toMatchObject({ id: 2, result: { instead: true, first: false } });
  // What may take its time is still asked for, and shows that it answers again. Its late answer is not handed on.
  send({ id: 3, method: 'tool' });
  expect(await said()).toMatchObject({ id: 3, result: { asked: ['hang', 'tool'] } });
  send({ id: 4, method: 'hook', params: long });
  expect(await said()).toMatchObject({ id: 4, result: { asked: ['hang', 'tool', 'hook'] } });
  child.stdin.end();
  expect((await once(child, 'exit'))[0]).toBe(0);
});

test('only hooks have a limit, and a prompt has the longest', () => {
  const { limitOf } = hookPatience({});
  const hook = (hook_event_name: string) => ({ name: 'hook', arguments: { hook_event_name } });
  const [prompt, call] = ['UserPromptSubmit', 'PreToolUse'].map((name) => limitOf('tools/call', hook(name)));
  expect(prompt).toBe(answerLimit(true));
  expect(call).toBe(answerLimit(false));
  expect(limitOf('tools/call', { name: 'rewind', arguments: {} })).toBeNull();
  expect(limitOf('initialize', {})).toBeNull();
});

test('the person is told once of a host that hangs, in their language', async () => {
  const said = async (LANG: string, first: boolean) =>
    JSON.parse(((await hookPatience({ LANG }).instead(first)) as Result).content[0].text);
  expect(await said('en_US.UTF-8', true)).toEqual({
    systemMessage: expect.stringContaining('does not answer'),
  });
  expect(await said('zh_TW.UTF-8', true)).toEqual({ systemMessage: expect.stringContaining('沒有回應') });
  expect(await said('en_US.UTF-8', false)).toEqual({});
});

test('programs that reach the host by themselves wait as long', () => {
  const [script, plugin] = ['hook.sh', 'opencode.js'].map((name) =>
    readFileSync(fileURLToPath(new URL(`../../plugins/${name}`, import.meta.url)), 'utf8'),
  );
  const [call, prompt] = [answerLimit(false), answerLimit(true)];
  expect(script).toContain(`limit=${call / 1000}\n`);
  expect(script).toContain(`limit=${prompt / 1000} `);
  expect(plugin).toMatch(new RegExp(`hook: ${call / 1000}_000, prompt: ${prompt / 1000}_000`));
});

interface Result {
  readonly content: readonly [{ readonly text: string }];
}

interface Answer {
  readonly result?: { readonly pid: number };
}
