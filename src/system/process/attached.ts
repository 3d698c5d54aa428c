/** Runs a program on this process's own terminal, and waits for its end. */

import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { close, open, unlessRefused } from '../io.ts';
import { platform } from '../platform.ts';
import { withoutKeys } from './environment.ts';
import { startOf } from './shell.ts';
import type { EndSignal } from './signals.ts';

export interface Attached {
  readonly pid: number;
  readonly ended: Promise<AttachedEnd>;
  /** Passes on a signal that this process received. */
  passOn(signal: EndSignal): void;
  /** Asks it to end, and kills it if it does not. */
  stop(): void;
}

export interface AttachedEnd {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
}

interface AttachedOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Sends its output to the error output, because the standard output is used for something else. */
  readonly aside?: boolean;
}

/** How long a program may take to end before it is killed. */
const GRACE_MS = 5_000;

/** Rejects when it cannot be started. */
export async function runAttached(
  command: readonly string[],
  { cwd, env = process.env, aside = false }: AttachedOptions,
): Promise<Attached> {
  // Not in a group of its own: the terminal belongs to ours, and sends Ctrl-C to every process in it.
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

/** The exit code as a shell reports it: the program's own, or 128 plus the number of the signal. */
export function exitCodeOf({ code, signal }: AttachedEnd): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal as NodeJS.Signals]);
}

function hasTerminal(): boolean {
  if (platform.windows) return true;
  return unlessRefused(() => {
    close(open('/dev/tty', 'r'));
    return true;
  }, false);
}
