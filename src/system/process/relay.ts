/**
 * Stands between an MCP server and its client: a server that dies is started again, and for one that hangs the client does not wait
 * again and again. Messages are JSON, one on each line. It loads nothing of the engine, so that there is little in it that could fail.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { phrase } from '../../phrase.ts';
import { jsonIn } from '../json.ts';
import { afterRunning } from '../time-limit.ts';

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: unknown;
}

/** Requests that somebody waits for who must not be held up. */
export interface Patience {
  /** How long the server may take to answer this; null: as long as it likes. */
  limitOf(method: string, params: unknown): number | null;
  /** The result in the place of its answer; `first`: for the request that it was waited for. */
  instead(first: boolean): Promise<unknown>;
}

/** One that ends sooner than this would do so again: it is started only when there is something for it. */
const SOON_MS = 1_000;
const INTERNAL_ERROR = -32_603;

/** Resolves with an exit code when the client is gone. `command` starts the server, here the host of a session. */
export function relay(command: readonly [string, ...string[]], patience: Patience): Promise<number> {
  const { stdin, stdout } = process;
  const [program, ...args] = command;
  const greeting: string[] = [];
  /** Requests without an answer, each with what stops its clock. */
  const waiting = new Map<string | number, () => void>();
  let host: ChildProcess | null = null;
  /** Something was not answered in time, and nothing since. */
  let hung = false;
  let over = false;
  const gone = Promise.withResolvers<number>();

  const say = (message: object): void => void stdout.write(`${JSON.stringify(message)}\n`);
  const answerInstead = async (id: string | number, first: boolean): Promise<void> =>
    say({ jsonrpc: '2.0', id, result: await patience.instead(first) });
  const giveUp = (id: string | number): void => {
    waiting.delete(id);
    void answerInstead(id, !hung);
    hung = true;
  };
  const forget = (id: string | number): boolean => {
    waiting.get(id)?.();
    return waiting.delete(id);
  };

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
        hung = false;
        if (known.delete(id) || !forget(id)) return; // The client has had an answer to that.
      }
      stdout.write(`${line}\n`);
    });
    const lost = (): void => {
      if (host !== child) return;
      host = null;
      if (over) gone.resolve(0);
      hung = false;
      for (const id of waiting.keys()) {
        forget(id);
        say(failed(id));
      }
      if (!over && performance.now() - began > SOON_MS) start();
    };
    child.on('error', lost);
    child.on('close', lost);
    return child;
  };

  createInterface({ input: stdin }).on('line', (line) => {
    const { id, method, params } = read(line);
    const child = host ?? start();
    if (method !== undefined && id !== undefined) {
      const limit = patience.limitOf(method, params);
      if (hung && limit !== null) return void answerInstead(id, false);
      waiting.set(id, limit === null ? () => {} : afterRunning(limit, () => giveUp(id)));
    }
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

function failed(id: string | number): object {
  const error = {
    code: INTERNAL_ERROR,
    message: phrase`The server has ended, and is started again.`,
  };
  return { jsonrpc: '2.0', id, error };
}

function read(line: string): Message {
  return (jsonIn(line) ?? {}) as Message;
}
