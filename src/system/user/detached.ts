/** Starts a program that outlives this process: its output goes to files that only this user can read. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { readIfExists, removeIfExists } from '../files.ts';
import * as io from '../io.ts';
import { startOf } from '../process/shell.ts';
import { userDir } from './user-dir.ts';

export interface Detached {
  readonly pid: number;
  /** Where its error output is, with what a command of its own says. */
  readonly log: string | null;
  /** Its exit code, once it has ended; null as long as it runs, or when a signal ended it. */
  ended(): { readonly code: number | null } | null;
  /** What it has written to its standard output. */
  output(): string;
}

interface DetachedOptions {
  readonly cwd: string;
  /** The directory of the user's own that its files are in. */
  readonly sort: string;
  /** Its files begin with it. */
  readonly name: string;
}

/** How many programs have their output kept. */
const MOST = 100;

/** Rejects when it cannot be started. */
export async function startDetached(
  command: readonly string[],
  { cwd, sort, name }: DetachedOptions,
): Promise<Detached> {
  const dir = userDir(sort);
  if (dir !== null) forgetOldest(dir);
  const at = (end: string): string | null => dir && join(dir, `${name}.${process.pid}-${Date.now()}.${end}`);
  const [log, answer] = [at('log'), at('json')];
  const files = [answer, log].map((path) => (path === null ? null : io.open(path, 'ax', 0o600)));
  try {
    const { file, args, windowsVerbatimArguments } = startOf(command);
    const [out, err] = files.map((one) => one?.fd ?? ('ignore' as const));
    // In a session of its own: neither a signal to this process nor the end of its terminal reaches it.
    const child = spawn(file, args, {
      cwd,
      windowsVerbatimArguments,
      detached: true,
      windowsHide: true,
      stdio: ['ignore', out!, err!],
    });
    let end: { readonly code: number | null } | null = null;
    child.once('exit', (code) => {
      end = { code };
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    child.unref();
    return {
      pid: child.pid!,
      log,
      ended: () => end,
      output: () => (answer === null ? '' : (readIfExists(answer)?.toString() ?? '')),
    };
  } finally {
    for (const one of files) if (one !== null) io.close(one);
  }
}

function forgetOldest(dir: string): void {
  const names = io.readNames(dir);
  const dated = names.map((name) => ({ name, at: io.lstat(join(dir, name))?.mtimeMs ?? 0 }));
  const old = dated.sort((a, b) => b.at - a.at).slice(2 * MOST);
  for (const { name } of old) removeIfExists(join(dir, name));
}
