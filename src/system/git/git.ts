/**
 * The one place that starts git. The repository may come from strangers: no hooks, no optional locks, no inherited
 * environment, and no program or server that only the repository names.
 */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { withoutKeys } from '../process/environment.ts';
import { runProgram } from '../process/program.ts';
import { timeLimit } from '../time-limit.ts';
import type { GitAnswer, GitOptions, GitOutput } from './answer.ts';

const STILL: readonly string[] = [
  '-c',
  'core.fsmonitor=false',
  '-c',
  'gc.auto=0',
  '-c',
  'maintenance.auto=false',
  // A repository that is itself among the files came with them.
  '-c',
  'safe.bareRepository=explicit',
  '-c',
  'protocol.ext.allow=never',
];
const QUIET: readonly string[] = ['-c', 'core.hooksPath=/dev/null', ...STILL];

/** Never rejects: a missing git, a missing repository and a refusal are results, too. */
export async function runGit(
  directory: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitAnswer> {
  const late = options.timeout_ms === undefined ? null : timeLimit(options.timeout_ms);
  const signals = [late, options.signal].filter((signal) => signal != null);
  try {
    const { code, output, errors } = await runProgram(['git', ...(options.hooks ? STILL : QUIET), ...args], {
      input: options.input ?? null,
      cwd: directory,
      env: { ...cleanEnvironment(process.env, options), ...options.env },
      ...(options.errors && { errors: options.errors }),
      ...(signals.length > 0 ? { signal: AbortSignal.any(signals) } : {}),
    });
    return { code, output, errors: errors.toString(), timed_out: late?.aborted ?? false };
  } catch {
    // All that it throws is that the program does not start, or was stopped.
    const timed_out = late?.aborted ?? false;
    const errors = timed_out || options.signal?.aborted ? 'git was stopped' : 'git does not start';
    return { code: null, output: Buffer.alloc(0), errors, timed_out };
  }
}

/** The same, synchronously; null unless it succeeds. */
export function runGitNow(directory: string, args: readonly string[]): GitOutput | null {
  const { status, stdout } = spawnSync('git', [...QUIET, ...args], {
    cwd: directory,
    env: cleanEnvironment(process.env),
    maxBuffer: Number.POSITIVE_INFINITY,
    stdio: ['ignore', 'pipe', 'ignore'],
    windowsHide: true,
  });
  return status === 0 ? stdout : null;
}

/** Starts a git process that answers several questions. */
export function startGit(
  directory: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProcessWithoutNullStreams {
  return spawn('git', [...QUIET, ...args], {
    cwd: directory,
    env: { ...cleanEnvironment(process.env), ...env },
    stdio: 'pipe',
    windowsHide: true,
  });
}

/** A GIT_DIR or GIT_INDEX_FILE of the caller would lead to a different repository. */
function cleanEnvironment(
  inherited: NodeJS.ProcessEnv,
  { as_user = false, hooks = false, network = false }: GitOptions = {},
): NodeJS.ProcessEnv {
  const own = Object.entries(withoutKeys(inherited)).filter(
    ([name]) => !name.startsWith('GIT_') || (as_user && SET_UP.test(name)),
  );
  return {
    ...Object.fromEntries(own),
    ...(hooks ? {} : { LC_ALL: 'C' }), // Hooks may need the user's own.
    // Git before 2.45 has no other way to prevent fetching missing objects from a promisor.
    ...(network || hooks ? withoutExt(inherited, as_user) : { GIT_ALLOW_PROTOCOL: '' }),
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    ...NO_QUESTIONS,
    ...(as_user ? sshWithoutQuestions(inherited) : {}),
  };
}

/** The variable overrides the setting that forbids it. */
function withoutExt({ GIT_ALLOW_PROTOCOL }: NodeJS.ProcessEnv, as_user: boolean): NodeJS.ProcessEnv {
  if (!as_user || GIT_ALLOW_PROTOCOL === undefined) return {};
  const allowed = GIT_ALLOW_PROTOCOL.split(':').filter((name) => name !== 'ext');
  return { GIT_ALLOW_PROTOCOL: allowed.join(':') };
}

const SET_UP =
  /^GIT_(CONFIG_(GLOBAL|SYSTEM|NOSYSTEM)|SSL_.*|SSH|SSH_VARIANT|PROXY_.*|HTTP_.*|ALLOW_PROTOCOL|(AUTHOR|COMMITTER)_(NAME|EMAIL))$/;

/** Any question fails at once; there is no terminal either, because git runs in a session of its own. */
const NO_QUESTIONS = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'false',
  SSH_ASKPASS: 'false',
  SSH_ASKPASS_REQUIRE: 'never',
  GCM_INTERACTIVE: 'never',
  GIT_EDITOR: 'false',
};

/** The user's own ssh command, in batch mode. Git lets the shell run this with its arguments. */
function sshWithoutQuestions({ GIT_SSH, GIT_SSH_COMMAND }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (GIT_SSH_COMMAND) return { GIT_SSH_COMMAND: `${GIT_SSH_COMMAND} -oBatchMode=yes` };
  if (GIT_SSH) return {};
  const asked = `eval "$(git config core.sshCommand || echo ssh) -oBatchMode=yes \\"\\$@\\""`;
  return { GIT_SSH_COMMAND: `batch() { ${asked}; }; batch`, GIT_SSH_VARIANT: 'ssh' };
}
