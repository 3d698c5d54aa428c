/** A host as a client starts it: a process that speaks MCP over its standard input and output. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { MAIN } from './cli.ts';

/** `more`: in every event. `task`: that of the `exec` in whose command the client runs. `args`: after `agent-host`. */
export function startHost(
  project: string,
  more: object = {},
  task?: string,
  args: readonly string[] = ['claude'],
) {
  const { VIBE_ENGINE_TASK: _, ...rest } = process.env;
  const env = task === undefined ? rest : { ...rest, VIBE_ENGINE_TASK: task };
  const child = spawn(process.execPath, [MAIN, 'agent-host', ...args], { cwd: project, env, stdio: 'pipe' });
  const waiting = new Map<number, (reply: { result?: unknown; error?: unknown }) => void>();
  let asked = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const reply = JSON.parse(line) as { id: number; result?: unknown; error?: unknown };
    waiting.get(reply.id)?.(reply);
  });
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify(message)}\n`);
  const ask = (method: string, params: object = {}): Promise<{ result?: unknown; error?: unknown }> =>
    new Promise((resolve) => {
      const id = ++asked;
      waiting.set(id, resolve);
      send({ jsonrpc: '2.0', id, method, params });
    });
  const call = async (name: string, given: object): Promise<string> => {
    const { result } = await ask('tools/call', { name, arguments: given });
    return (result as { content: { text: string }[] }).content[0]!.text;
  };
  const base = { session_id: 's-1', cwd: project, ...more };
  return {
    child,
    ask,
    call,
    hook: async (payload: object) => JSON.parse(await call('hook', { ...base, ...payload })) as unknown,
    async begin() {
      const clientInfo = { name: 'test', version: '1' };
      await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
      send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    },
    async end() {
      child.stdin.end();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}
