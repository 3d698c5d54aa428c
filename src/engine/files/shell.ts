/** `task.shell`: a command to its end, with what it said; a tool call like any other, with the files before and after it. */
import { resolve } from 'node:path';
import { runProgram } from '../../system/program.ts';
import type { ShellOptions, ShellResult, StepContext } from '../context.ts';

export type Command = string | readonly string[];

export async function runShell(
  command: Command,
  { cwd = '', env, input, timeout_ms, on_unknown = 'run' }: ShellOptions,
  working_dir: string,
  { signal, unknown }: StepContext,
): Promise<ShellResult> {
  if (unknown && on_unknown === 'report')
    return { code: null, signal: null, stdout: '', stderr: '', timed_out: false, unknown };
  const late = timeout_ms === undefined ? null : AbortSignal.timeout(timeout_ms);
  const end = await runProgram(typeof command === 'string' ? shellFor(command) : command, {
    input: input === undefined ? null : Buffer.from(input),
    cwd: resolve(working_dir, cwd),
    signal: late ? AbortSignal.any([signal, late]) : signal,
    ...(env ? { env: { ...process.env, ...env } } : {}),
  });
  signal.throwIfAborted(); // It was ended with the run: how far it came is not known.
  return {
    code: end.code,
    signal: end.signal,
    stdout: end.output.toString(),
    stderr: end.errors.toString(),
    timed_out: late?.aborted ?? false,
    unknown: null,
  };
}

function shellFor(command: string): readonly string[] {
  return process.platform === 'win32' ? ['cmd.exe', '/d', '/s', '/c', command] : ['/bin/sh', '-c', command];
}
