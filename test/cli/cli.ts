/** The command line as a person has it, in a project's directory. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { FULL } from '../support/full.ts';

/** The command as it is published, built before the tests. */
export const MAIN: string = fileURLToPath(new URL('../../bin/vibe-engine.js', import.meta.url));

export interface CliRun {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

/**
 * Without a terminal, in English unless `env` says otherwise. In this process, where that makes no difference, since one of its
 * own takes many times as long; in full always in one of its own, as `command` has it.
 */
export function cli(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<CliRun> {
  return FULL || busy || !canRunHere(args) ? command(cwd, args, env) : here(cwd, args, environment(env));
}

/** Also of a verb that starts programs, where it is refused before it does, or what it starts says nothing. */
export function quiet(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<CliRun> {
  return FULL || busy ? command(cwd, args, env) : here(cwd, args, environment(env));
}

/** The same in a process of its own. */
export function command(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<CliRun> {
  const options = { cwd, env: environment(env), maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [MAIN, ...args], options, (error, out, err) => {
      resolve({ exit: error ? Number(error.code) : 0, out, err });
    });
    child.stdin!.end();
  });
}

function environment(more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { PATH, NODE_COMPILE_CACHE, TMPDIR, HOME, VIBE_ENGINE_STATE_DIR } = process.env;
  return { PATH, NODE_COMPILE_CACHE, TMPDIR, HOME, VIBE_ENGINE_STATE_DIR, ...more };
}

/**
 * Not what starts programs with the streams of its process, watches, reads standard input or loads no module. A command that
 * is run for its JSON answer is expected to say nothing.
 */
const HERE = new Set([
  'compare',
  ...['tasks', 'show', 'history', 'checkpoints', 'files', 'locks', 'conversations', 'drift', 'doctor'],
  ...['timeline', 'tree', 'entry', 'conversation'],
  ...['run', 'resume', 'retry', 'fork', 'restart', 'rebase', 'cancel', 'pause', 'answer'],
  ...['questions', 'conflicts'],
  ...['undo', 'redo', 'take', 'rollback', 'clean', 'export', 'import', 'config', 'trust', 'keys'],
  ...['completion', '--complete'],
]);

function canRunHere(args: readonly string[]): boolean {
  const verb = args[0] === '--lang' ? args[2] : args[0];
  const odd = ['-', '--watch', 'package.json'];
  const told = HERE.has(verb!) || (verb === 'exec' && args.includes('--json'));
  return told && !args.some((arg) => odd.includes(arg));
}

/** One at a time, since it has this process's directory and environment meanwhile. */
let busy = false;

async function here(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<CliRun> {
  busy = true;
  const before = { cwd: process.cwd(), env: { ...process.env } };
  const said = { out: '', err: '' };
  try {
    const { runCli } = await import('../../src/cli/run.ts');
    process.chdir(cwd);
    replaceEnvironment(env);
    const io = {
      ...{ env: process.env, cwd: process.cwd(), screen: null, interactive: false },
      out: (text: string) => {
        said.out += text;
      },
      err: (text: string) => {
        said.err += text;
      },
    };
    if (args[0] !== '--complete') return { exit: await runCli(args, io), ...said };
    const { answerCompletion } = await import('../../src/cli/complete.ts');
    await answerCompletion(args.slice(1), io);
    return { exit: 0, ...said };
  } finally {
    process.chdir(before.cwd);
    replaceEnvironment(before.env);
    busy = false;
  }
}

function replaceEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name];
  for (const [name, value] of Object.entries(env)) if (value !== undefined) process.env[name] = value;
}

/** The data of its JSON answer; throws where it is an error. */
export async function ask<T>(cwd: string, ...args: string[]): Promise<T> {
  const { out, err, exit } = await cli(cwd, [...args, '--json']);
  const answer = JSON.parse(out) as { vibe_engine: number; ok: boolean; data: T };
  if (answer.vibe_engine !== 1 || !answer.ok) throw new Error(`exit ${exit}: ${out}${err}`);
  return answer.data;
}
