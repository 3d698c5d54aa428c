/** A program that has this process's own terminal: it reads and writes there itself, and its end is awaited. */

import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { close, open } from '../io.ts';
import { platform } from '../platform.ts';
import { withoutKeys } from './environment.ts';
import { startOf } from './shell.ts';
import type { EndSignal } from './signals.ts';

export interface Attached {
  readonly pid: number;
  readonly ended: Promise<AttachedEnd>;
  /** Hands on a signal that came to this process. */
  passOn(signal: EndSignal): void;
  /** Tells it to end; made to, where it does not. */
  stop(): void;
}

export interface AttachedEnd {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface AttachedOptions {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  /** What it says goes to the error output, where the standard output is somebody else's. */
  readonly aside?: boolean;
}

/** How long a program that was told to end may take before it is made to. */
const GRACE_MS = 5_000;

/** Rejects when it cannot be started. */
export async function runAttached(
  command: readonly string[],
  { cwd, env = process.env, aside = false }: AttachedOptions,
): Promise<Attached> {
  // Not a group of its own: the terminal belongs to ours, and sends Ctrl-C to everybody in it.
  const { file, args, windowsVerbatimArguments } = startOf(command);
  const child = spawn(file, args, {
    cwd,
    windowsVerbatimArguments,
    env: withoutKeys(env),
    stdio: ['inherit', aside ? 2 : 'inherit', 'inherit'],
  });
  let forced: NodeJS.Timeout | undefined;
  const ended = new Promise<AttachedEnd>((resolve) => {
    child.once('close', (code, signal) => {
      clearTimeout(forced);
      resolve({ code, signal });
    });
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  return {
    pid: child.pid!,
    ended,
    passOn: (signal) => {
      if (signal === 'SIGTERM' || !hasTerminal()) child.kill(signal);
    },
    stop: () => {
      child.kill('SIGTERM');
      forced ??= setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
    },
  };
}

/** What a shell makes of it: the program's own code, or 128 and the number of the signal. */
export function exitCodeOf({ code, signal }: AttachedEnd): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}

function hasTerminal(): boolean {
  if (platform.windows) return true;
  try {
    close(open('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
