/** The host of a session as a client starts it: a process, spoken to by its standard input and output. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const LAUNCHER = fileURLToPath(new URL('../../bin/vibe-engine.js', import.meta.url));

export interface BenchHost {
  hook(payload: Readonly<Record<string, unknown>>): Promise<unknown>;
  close(): Promise<void>;
}

export async function startHost(project: string, client = 'claude'): Promise<BenchHost> {
  const { NODE_COMPILE_CACHE: _, VIBE_ENGINE_TASK: __, ...env } = process.env;
  const child = spawn(process.execPath, [LAUNCHER, 'agent-host', client], {
    cwd: project,
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const waiting = new Map<number, (result: unknown) => void>();
  let id = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result } = JSON.parse(line) as { id: number; result: unknown };
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify(message)}\n`);
  const ask = (method: string, params: object): Promise<unknown> =>
    new Promise((resolve) => {
      waiting.set(++id, resolve);
      send({ jsonrpc: '2.0', id, method, params });
    });
  const clientInfo = { name: 'bench', version: '1' };
  await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return {
    async hook(payload) {
      const { content } = (await ask('tools/call', { name: 'hook', arguments: payload })) as {
        content: { text: string }[];
      };
      return JSON.parse(content[0]!.text);
    },
    async close() {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}
