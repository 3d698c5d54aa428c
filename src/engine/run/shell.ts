/**
 * `task.shell`: runs a command to its end, and records its output; a tool call like any other, with the files before and
 * after it.
 */

import { resolve } from 'node:path';
import { keptText } from '../../system/process/kept-output.ts';
import { runProgram } from '../../system/process/program.ts';
import { shellFor } from '../../system/process/shell.ts';
import { timeLimit } from '../../system/time-limit.ts';
import type { ShellOptions, ShellResult, StepContext } from '../api/context.ts';

/** More than people and models read; for more, let the command write to a file. */
const MOST_KB = 1024;
const NOTHING_SAID = { stdout: '', stderr: '', left_out: { stdout: 0, stderr: 0 } };

export type Command = string | readonly string[];

export async function runShell(
  command: Command,
  { cwd = '', env, input, timeout_ms, max_output_kb = MOST_KB, on_unknown = 'run' }: ShellOptions,
  working_dir: string,
  { signal, unknown }: StepContext,
  /** Variables that identify it if this process dies. */
  mark: Readonly<Record<string, string>>,
): Promise<ShellResult> {
  if (unknown && on_unknown === 'report')
    return { ...NOTHING_SAID, code: null, signal: null, timed_out: false, unknown };
  const keep = max_output_kb * 1024;
  const late = timeout_ms === undefined ? null : timeLimit(timeout_ms);
  const end = await runProgram(typeof command === 'string' ? shellFor(command) : command, {
    input: input === undefined ? null : Buffer.from(input),
    cwd: resolve(working_dir, cwd),
    signal: late ? AbortSignal.any([signal, late]) : signal,
    keep,
    env: { ...process.env, ...env, ...mark },
  });
  signal.throwIfAborted(); // It was ended with the run: its outcome is not known.
  return {
    code: end.code,
    signal: end.signal,
    stdout: keptText(end.output, end.left_out.output, keep),
    stderr: keptText(end.errors, end.left_out.errors, keep),
    left_out: { stdout: end.left_out.output, stderr: end.left_out.errors },
    timed_out: late?.aborted ?? false,
    unknown: null,
  };
}
