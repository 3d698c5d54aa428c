/**
 * Stands between an MCP server and a client that starts its servers only once: one that dies is started again, and the client does
 * not notice. Messages are JSON, one on each line. It loads nothing of the engine, so that there is little in it that could fail.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { phrase } from '../../phrase.ts';
import { jsonIn } from '../json.ts';

interface Message {
  readonly id?: string | number;
  readonly method?: string;
}

/** One that ends sooner than this would do so again: it is started only when there is something for it. */
const SOON_MS = 1_000;
const INTERNAL_ERROR = -32_603;

/** Resolves with an exit code when the client is gone. `command` starts the server, here the host of a session. */
export function relay(command: readonly [string, ...string[]]): Promise<number> {
  const { stdin, stdout } = process;
  const [program, ...args] = command;
  const greeting: string[] = [];
  const waiting = new Set<string | number>();
  let host: ChildProcess | null = null;
  let over = false;
  const gone = Promise.withResolvers<number>();

  const start = (): ChildProcess => {
    const began = performance.now();
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    host = child;
    child.stdin!.on('error', () => {}); // It has died, and says so by itself.
    const known = new Set(greeting.flatMap((line) => read(line).id ?? []));
    for (const line of greeting) child.stdin!.write(`${line}\n`);
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const { id, method } = read(line);
      if (method === undefined && id !== undefined) {
        if (known.delete(id)) return; // The client has had that answer.
        waiting.delete(id);
      }
      stdout.write(`${line}\n`);
    });
    const lost = (): void => {
      if (host !== child) return;
      host = null;
      if (over) gone.resolve(0);
      for (const id of waiting) stdout.write(`${JSON.stringify(failed(id))}\n`);
      waiting.clear();
      if (!over && performance.now() - began > SOON_MS) start();
    };
    child.on('error', lost);
    child.on('close', lost);
    return child;
  };

  createInterface({ input: stdin }).on('line', (line) => {
    const { id, method } = read(line);
    const child = host ?? start();
    if (method !== undefined && id !== undefined) waiting.add(id);
    child.stdin!.write(`${line}\n`);
    if (method === 'initialize' || method === 'notifications/initialized') greeting.push(line);
  });
  const end = (): void => {
    over = true;
    if (host) host.stdin!.end();
    else gone.resolve(0);
  };
  stdin.once('end', end);
  stdin.once('close', end);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
  start();
  return gone.promise;
}

function failed(id: string | number): unknown {
  const error = {
    code: INTERNAL_ERROR,
    message: phrase`The server has ended, and is started again.`,
  };
  return { jsonrpc: '2.0', id, error };
}

function read(line: string): Message {
  return (jsonIn(line) ?? {}) as Message;
}
