/** A program that serves on this machine, for as long as a few requests take. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { phrase } from '../../phrase.ts';
import { withoutKeys } from './environment.ts';
import { startOf } from './shell.ts';

interface LoopbackOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** How long it may take to begin, and each request. */
  readonly limit_ms: number;
}

interface Loopback {
  /** Sends JSON and returns what is answered, as text. Rejects if it cannot be reached, or does not answer. */
  post(
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>>,
  ): Promise<{ ok: boolean; text: string }>;
}

const GRACE_MS = 2_000;

/** It says its address in a line of its output. Rejects if it ends, or is silent, before it does. */
export async function withLoopback<T>(
  command: readonly string[],
  { cwd, env, limit_ms }: LoopbackOptions,
  use: (served: Loopback) => Promise<T>,
): Promise<T> {
  const { file, args, windowsVerbatimArguments } = startOf(command);
  const child = spawn(file, args, {
    cwd,
    env: { ...withoutKeys(process.env), ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
    windowsHide: true,
    windowsVerbatimArguments,
  });
  // A program that did not start says so where its address is awaited.
  const gone = once(child, 'close').catch(() => {});
  try {
    const url = await addressOf(child, limit_ms);
    return await use({
      async post(path, body, headers) {
        const answer = await fetch(new URL(path, url), {
          method: 'POST',
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json', ...headers },
          signal: AbortSignal.timeout(limit_ms),
        });
        return { ok: answer.ok, text: await answer.text() };
      },
    });
  } finally {
    child.kill('SIGTERM');
    const forced = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
    await gone;
    clearTimeout(forced);
  }
}

function addressOf(child: ReturnType<typeof spawn>, limit_ms: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => reject(new Error(phrase`it does not begin to serve`)), limit_ms);
    const settle = <A>(done: (value: A) => void, value: A): void => {
      clearTimeout(limit);
      done(value);
    };
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const url = /\bhttp:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
      if (url !== undefined) settle(resolve, url);
    });
    child.once('error', (error) => settle(reject, error));
    child.once('close', (code) => settle(reject, new Error(phrase`it ended with ${code}`)));
  });
}
