/** Runs git on a repository that belongs to somebody else: no hooks, no locks it could do without, nothing inherited. */
import { spawnSync } from 'node:child_process';
import { runProgram } from './program.ts';

export interface GitAnswer {
  /** Null when git could not be started or was killed. */
  readonly code: number | null;
  readonly output: Buffer;
  readonly errors: string;
}

export const QUIET: readonly string[] = [
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'gc.auto=0',
  '-c',
  'maintenance.auto=false',
];

/** Resolves whatever happens: no git, no repository and a refusal are answers too. */
export async function runGit(
  directory: string,
  args: readonly string[],
  input?: Uint8Array,
): Promise<GitAnswer> {
  try {
    const options = { input: input ?? null, cwd: directory, env: cleanEnvironment(process.env) };
    const { code, output, errors } = await runProgram(['git', ...QUIET, ...args], options);
    return { code, output, errors: errors.toString() };
  } catch {
    return { code: null, output: Buffer.alloc(0), errors: 'git does not start' };
  }
}

/** The same while everything else waits; null unless it succeeds. */
export function runGitNow(directory: string, args: readonly string[]): Buffer | null {
  const { status, stdout } = spawnSync('git', [...QUIET, ...args], {
    cwd: directory,
    env: cleanEnvironment(process.env),
    maxBuffer: Number.POSITIVE_INFINITY,
    stdio: ['ignore', 'pipe', 'ignore'],
    windowsHide: true,
  });
  return status === 0 ? stdout : null;
}

export function gitSpawnOptions(directory: string) {
  return {
    cwd: directory,
    env: cleanEnvironment(process.env),
    stdio: 'pipe',
    windowsHide: true,
  } as const;
}

/** A GIT_DIR or GIT_INDEX_FILE of the caller would lead to another repository than the directory's. */
function cleanEnvironment(inherited: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = Object.entries(inherited).filter(([name]) => !name.startsWith('GIT_'));
  return {
    ...Object.fromEntries(own),
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_TERMINAL_PROMPT: '0',
  };
}
