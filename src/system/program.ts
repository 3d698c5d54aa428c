/** Runs a program to its end, with all that it starts; ended as a group when it is told to stop or takes too long. */
import { spawn } from 'node:child_process';

export interface ProgramOptions {
  /** What it reads; null for nothing. */
  readonly input: Uint8Array | null;
  readonly signal?: AbortSignal;
  readonly timeout_ms?: number;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

export interface ProgramEnd {
  /** Null when it did not start, or a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: Buffer;
  readonly errors: Buffer;
}

/** How long a program that was told to end may take before it is made to. */
const GRACE_MS = 2_000;

/** Rejects when it cannot be started. Whether it was stopped shows in its end. */
export function runProgram(command: readonly string[], options: ProgramOptions): Promise<ProgramEnd> {
  const [file, ...args] = command;
  const { input, signal, timeout_ms, cwd, env } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(file ?? '', args, {
      ...(cwd === undefined ? {} : { cwd }),
      ...(env === undefined ? {} : { env }),
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32', // a group of its own, so that its children end with it
      windowsHide: true,
    });
    const output: Buffer[] = [];
    const errors: Buffer[] = [];
    child.stdout.on('data', (part: Buffer) => output.push(part));
    child.stderr.on('data', (part: Buffer) => errors.push(part));
    child.stdin.on('error', () => {}); // it may end without reading what it is given
    child.stdin.end(input ?? undefined);

    let forced: NodeJS.Timeout | undefined;
    const stop = () => {
      endGroup(child.pid, 'SIGTERM');
      forced ??= setTimeout(() => {
        endGroup(child.pid, 'SIGKILL');
        // What it started in a group of its own could hold its outputs open.
        child.stdout.destroy();
        child.stderr.destroy();
      }, GRACE_MS);
    };
    const limit = timeout_ms === undefined ? undefined : setTimeout(stop, timeout_ms);
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
      resolve({ code, signal: ended, output: Buffer.concat(output), errors: Buffer.concat(errors) });
    });
  });
}

function endGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}
