/**
 * A separate worktree, away from the user's, with a repository of its own that only borrows objects: for moving commits and
 * testing.
 */

import { join } from 'node:path';
import { phrase } from '../../phrase.ts';
import { placeFileUnsynced, readIfExists } from '../../system/files.ts';
import { runGit } from '../../system/git/git.ts';
import * as io from '../../system/io.ts';
import { runProgram } from '../../system/process/program.ts';
import { shellFor } from '../../system/process/shell.ts';
import { timeLimit } from '../../system/time-limit.ts';
import { complaintOf, type Git, gitAt } from '../git.ts';
import { findRepository, type RepositoryPaths } from '../place.ts';
import type { Quarantine } from '../quarantine.ts';
import { requireOutput } from '../work.ts';
import { refused } from './conditions.ts';

/** In the quarantine, and gone with it. New objects go to the quarantine's. */
export async function openScratch(quarantine: Quarantine, place: RepositoryPaths): Promise<Git> {
  const dir = join(quarantine.dir, 'worktree');
  io.mkdir(dir);
  const format = (await requireOutput(quarantine.git, ['rev-parse', '--show-object-format']))
    .toString()
    .trim();
  const made = await runGit(dir, ['init', '--quiet', '--template=', `--object-format=${format}`]);
  if (made.code !== 0) throw refused('replay failed', { complaint: complaintOf(made) });
  const git_dir = join(dir, '.git');
  const lent = [quarantine.objects, join(place.common_dir, 'objects')];
  put(join(git_dir, 'objects', 'info', 'alternates'), `${lent.join('\n')}\n`);
  put(join(git_dir, 'config'), configFor(readIfExists(join(git_dir, 'config'))!.toString(), dir, place));
  for (const name of ['shallow', 'info/attributes']) {
    const theirs = readIfExists(join(place.common_dir, name));
    if (theirs) put(join(git_dir, name), theirs);
  }
  return gitAt(findRepository(dir)!, { env: { GIT_OBJECT_DIRECTORY: quarantine.objects } });
}

/** The user's configuration, except for the location. */
function configFor(own: string, dir: string, { common_dir }: RepositoryPaths): string {
  const quoted = (path: string) => `"${path.replaceAll(/["\\]/g, '\\$&')}"`;
  const theirs = `[include]\n\tpath = ${quoted(join(common_dir, 'config'))}\n`;
  return `${own}${theirs}[core]\n\tbare = false\n\tworktree = ${quoted(dir)}\n[rerere]\n\tenabled = false\n`;
}

function put(path: string, content: string | Uint8Array): void {
  if (!io.lstat(join(path, '..'))) io.mkdir(join(path, '..'));
  placeFileUnsynced(path, Buffer.from(content));
}

/** Moves the commits and returns the newest: its tree has to be the expected one. */
export async function replayIn(
  scratch: Git,
  upstream: string,
  { commits, tree }: { readonly commits: readonly string[]; readonly tree: string },
): Promise<string> {
  const steps = [['checkout', '--quiet', '--detach', upstream], ...picks(commits)];
  for (const args of steps) {
    const answer = await scratch.run(args);
    if (answer.code !== 0) throw refused('replay failed', { complaint: complaintOf(answer) });
  }
  const [head, found] = (await requireOutput(scratch, ['rev-parse', 'HEAD', 'HEAD^{tree}']))
    .toString()
    .split('\n');
  if (found !== tree)
    throw refused('replay failed', { complaint: phrase`the result differs from the one that was checked` });
  return head!;
}

const MOST_PICKS = 100;

function picks(commits: readonly string[]): string[][] {
  const calls: string[][] = [];
  for (let at = 0; at < commits.length; at += MOST_PICKS) {
    calls.push(['cherry-pick', '--allow-empty', '--no-gpg-sign', ...commits.slice(at, at + MOST_PICKS)]);
  }
  return calls;
}

interface Tests {
  readonly command: string;
  readonly timeout_ms: number;
  readonly signal?: AbortSignal | undefined;
}

const MOST_OUTPUT = 10_000;

/** REBASE_REFUSED unless they pass. They find the user's worktree in `VIBE_ENGINE_REPOSITORY`, for what is not committed. */
export async function runTests(
  scratch: Git,
  place: RepositoryPaths,
  { command, timeout_ms, signal }: Tests,
): Promise<void> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  const late = timeLimit(timeout_ms);
  const end = await runProgram(shellFor(command), {
    input: null,
    cwd: join(scratch.place.toplevel, place.prefix),
    env: { ...Object.fromEntries(inherited), VIBE_ENGINE_REPOSITORY: place.toplevel },
    signal: signal ? AbortSignal.any([signal, late]) : late,
    keep: 8 * MOST_OUTPUT,
  }).catch((error: unknown) => ({ code: null, output: '', errors: String(error) }));
  if (end.code === 0) return;
  const output = `${end.output}${end.errors}`.slice(-MOST_OUTPUT);
  throw refused('tests fail', { command, code: end.code, timed_out: late.aborted, output });
}
