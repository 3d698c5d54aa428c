/** Runs a program to its end. It and the processes it starts are ended as a group when it is stopped or takes too long. */

import { spawn } from 'node:child_process';
import { platform } from '../platform.ts';
import { LONGEST_TIMER } from '../time-limit.ts';
import { withoutKeys } from './environment.ts';
import { keepOutput } from './kept-output.ts';
import { startOf } from './shell.ts';

interface ProgramOptions {
  /** Its standard input; null for none. */
  readonly input: Uint8Array | null;
  readonly signal?: AbortSignal;
  readonly timeout_ms?: number;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Bytes of each output to keep, half from its beginning, half from its end; default: all. */
  readonly keep?: number;
  /** Called with what it writes to its error output, as it does. */
  readonly errors?: (text: string) => void;
}

interface ProgramEnd {
  /** Null when it did not start, or a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: Buffer;
  readonly errors: Buffer;
  /** Bytes that are missing in the middle of each. */
  readonly left_out: { readonly output: number; readonly errors: number };
}

/** How long a program may take to end before it is killed. */
const GRACE_MS = 2_000;

/** Rejects if it cannot be started. The result says whether it was stopped. */
export function runProgram(command: readonly string[], options: ProgramOptions): Promise<ProgramEnd> {
  const { file, args, windowsVerbatimArguments } = startOf(command);
  const { input, signal, timeout_ms, cwd, env, keep = Number.POSITIVE_INFINITY } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      ...(cwd === undefined ? {} : { cwd }),
      env: withoutKeys(env ?? process.env),
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: !platform.windows, // a group of its own, so that its children end with it
      windowsHide: true,
      windowsVerbatimArguments,
    });
    const output = keepOutput(keep);
    const errors = keepOutput(keep);
    child.stdout.on('data', output.add);
    child.stderr.on('data', errors.add);
    if (options.errors) child.stderr.on('data', (part: Buffer) => options.errors?.(part.toString('latin1')));
    child.stdin.on('error', () => {}); // it may end without reading what it is given
    child.stdin.end(input ?? undefined);

    let forced: NodeJS.Timeout | undefined;
    const stop = () => {
      endGroup(child.pid, 'SIGTERM');
      forced ??= setTimeout(() => {
        endGroup(child.pid, 'SIGKILL');
        // A process that it started in another group could keep its outputs open.
        child.stdout.destroy();
        child.stderr.destroy();
      }, GRACE_MS);
    };
    const limit =
      timeout_ms === undefined ? undefined : setTimeout(stop, Math.min(timeout_ms, LONGEST_TIMER));
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop);
    const settle = () => {
      clearTimeout(limit);
      clearTimeout(forced);
      signal?.removeEventListener('abort', stop);
    };
    child.once('error', (error) => {
      settle();
      reject(error);
    });
    child.once('close', (code, ended) => {
      settle();
      const left_out = { output: output.leftOut(), errors: errors.leftOut() };
      resolve({ code, signal: ended, output: output.bytes(), errors: errors.bytes(), left_out });
    });
  });
}

function endGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  // Windows has neither groups nor a way to ask: this ends it with all that it has started.
  if (platform.windows) return void spawn('taskkill', ['/pid', `${pid}`, '/t', '/f']).on('error', () => {});
  try {
    process.kill(-pid, signal);
  } catch {
    // It has already ended.
  }
}
