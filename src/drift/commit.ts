/** Commits some files and nothing else, with the user's hooks: other staged changes stay staged. */

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DriftError } from '../errors.ts';
import { phrase } from '../phrase.ts';
import { removeTree } from '../system/files.ts';
import * as io from '../system/io.ts';
import { makeTempDir } from '../system/user/temp.ts';
import { complaintOf, fieldsOf, type Git } from './git.ts';
import { lstatInside } from './lstat-inside.ts';
import { operationIn } from './place.ts';
import { copyIndex } from './quarantine.ts';

interface CommitRequest {
  /** Relative to the top of the worktree. */
  readonly files: readonly string[];
  readonly message: string;
  readonly trailers: readonly string[];
  readonly signal?: AbortSignal | undefined;
  readonly timeout_ms?: number | undefined;
  /** The commit was made, and the user's index still has these files as they were before it. */
  readonly leftInIndex: (files: readonly string[]) => void;
}

export interface Committed {
  readonly commit: string;
  readonly files: readonly string[];
}

/** Null when these files are as HEAD has them. COMMIT_REFUSED, and nothing changed, when git or a hook refuses. */
export async function commitFiles(git: Git, request: CommitRequest): Promise<Committed | null> {
  const { place } = git;
  const operation = operationIn(place);
  if (operation) throw refusal(phrase`a ${operation} is in progress`, { operation });
  await untilUnlocked(join(place.git_dir, 'index.lock'), request.signal);
  const files = await committable(git, request.files);
  if (files.hidden.length + files.seen.length === 0) return null;
  const dir = makeTempDir('ve-commit');
  try {
    const env = { ...LITERAL, GIT_INDEX_FILE: join(dir, 'index') };
    copyIndex(join(place.git_dir, 'index'), env.GIT_INDEX_FILE);
    const head = await git.text(['rev-parse', '--verify', '--quiet', 'HEAD^{tree}']);
    await step(git, head ? ['read-tree', '-i', '-m', head] : ['read-tree', '--empty'], { env });
    const update = async (how: readonly string[], paths: readonly string[]) =>
      step(git, ['update-index', '-z', ...how, '--stdin'], { env, input: listing(paths) });
    await update(['--force-remove'], files.hidden);
    await update(['--add', '--remove', '--replace'], files.seen);
    const tree = (await step(git, ['write-tree'], { env })).toString().trim();
    if (tree === head) return null;
    const args = [...PATIENT, 'commit', '--quiet', '--cleanup=whitespace', '--file=-'];
    const { signal, timeout_ms } = request;
    const input = Buffer.from(withTrailers(request.message, request.trailers));
    await step(git, args, { env, hooks: true, signal, timeout_ms, input });
  } finally {
    removeTree(dir);
  }
  const commit = (await step(git, ['rev-parse', 'HEAD'])).toString().trim();
  const made = { commit, files: await filesOf(git, commit) };
  if (!(await settleIndex(git, made.files))) request.leftInIndex(made.files);
  return made;
}

/** At the very end: git's own way of adding them stops at lines of dashes and at what it takes for comments. */
export function withTrailers(message: string, trailers: readonly string[]): string {
  const text = message.trimEnd();
  const paragraphs = text.split(/\n\s*\n/);
  const lines = paragraphs.length > 1 ? paragraphs.at(-1)!.split('\n') : [];
  const joins = lines.length > 0 && lines.every((line) => /^[\w-]+: \S/.test(line));
  return `${text}${joins ? '\n' : '\n\n'}${trailers.join('\n')}\n`;
}

/** What the last commit has, the user's index has too: otherwise its files would show as staged reverts. */
async function settleIndex(git: Git, files: readonly string[]): Promise<boolean> {
  const args = ['reset', '--quiet', '--pathspec-from-file=-', '--pathspec-file-nul', 'HEAD'];
  for (let attempt = 1; files.length > 0; attempt++) {
    const { code } = await git.run(args, { env: LITERAL, input: listing(files) });
    if (code === 0) return true;
    if (attempt === MOST_ATTEMPTS) return false;
    await sleep(AGAIN_MS); // Another git process holds the index.
  }
  return true;
}

/** Waits for a git process that outlived its parent, or that a person started. */
async function untilUnlocked(lock: string, signal: AbortSignal | undefined): Promise<void> {
  for (let attempt = 1; io.lstat(lock); attempt++) {
    if (attempt > MOST_ATTEMPTS || signal?.aborted)
      throw refusal(
        phrase`the index is locked; another git process is running, or one that died has left the lock`,
        { lock },
        phrase`Wait for that process to end; if there is none, remove ${lock}.`,
      );
    await sleep(AGAIN_MS);
  }
}

/** The same for the branch: git itself waits for it. */
const PATIENT: readonly string[] = ['-c', 'core.filesRefLockTimeout=5000'];

const LITERAL = { GIT_LITERAL_PATHSPECS: '1' };

const MOST_ATTEMPTS = 50;
const AGAIN_MS = 100;

async function filesOf(git: Git, commit: string): Promise<string[]> {
  const args = ['diff-tree', '--root', '-r', '-z', '--no-commit-id', '--name-only', '--no-renames', commit];
  return fieldsOf(await step(git, args));
}

interface Committable {
  readonly seen: readonly string[];
  /** A link has taken the place of a directory above them: they count as gone, whatever the link's target. */
  readonly hidden: readonly string[];
}

/** Without what is ignored, and what lies in a repository of its own. */
async function committable(git: Git, files: readonly string[]): Promise<Committable> {
  const { toplevel } = git.place;
  const isHidden = (path: string) =>
    directoriesAbove(path).some((above) => lstatInside(toplevel, above)?.isSymbolicLink());
  const own = files.filter((path) => !isInRepository(toplevel, path));
  const [hidden, seen] = [own.filter(isHidden), own.filter((path) => !isHidden(path))];
  if (seen.length === 0) return { seen, hidden };
  const { output } = await git.run(['check-ignore', '-z', '--stdin'], { input: listing(seen) });
  const ignored = new Set(fieldsOf(output));
  return { seen: seen.filter((path) => !ignored.has(path)), hidden };
}

function isInRepository(toplevel: string, path: string): boolean {
  return directoriesAbove(path).some((above) => lstatInside(toplevel, `${above}/.git`));
}

function directoriesAbove(path: string): string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}

function listing(files: readonly string[]): Buffer {
  return Buffer.from(files.map((path) => `${path}\0`).join(''));
}

async function step(git: Git, args: readonly string[], options?: Parameters<Git['run']>[1]) {
  const answer = await git.run(args, options);
  if (answer.code === 0) return answer.output;
  const said = `${answer.errors}${answer.output}`.trim().slice(-MOST_WORDS);
  throw refusal(complaintOf(answer), { complaint: said });
}

const MOST_WORDS = 10_000;

function refusal(
  why: string,
  data: Readonly<Record<string, unknown>> = {},
  hint = phrase`Fix what git or the hook reports, then try again.`,
): DriftError {
  return new DriftError('COMMIT_REFUSED', phrase`Nothing was committed: ${why}.`, {
    data: { complaint: why, ...data },
    hint: [hint, phrase`The index is as it was.`].join(' '),
  });
}

/** The commit that was made with these trailers since then, in case the process that made it died. */
export async function findCommit(
  git: Git,
  {
    trailers,
    since,
    leftInIndex,
  }: { readonly since: string } & Pick<CommitRequest, 'trailers' | 'leftInIndex'>,
): Promise<Committed | null> {
  const after = `--since=${Math.floor(Date.parse(since) / 1000)}`;
  const log = await git.run(['log', '-z', '--max-count=100', after, '--format=%H%n%B']);
  if (log.code !== 0) return null;
  for (const text of fieldsOf(log.output)) {
    const [commit, ...body] = text.split('\n');
    if (!trailers.every((trailer) => body.includes(trailer))) continue;
    const files = await filesOf(git, commit!);
    const behind = await leftBehind(git, commit!, files);
    if (!(await settleIndex(git, behind))) leftInIndex(behind);
    return { commit: commit!, files };
  }
  return null;
}

/** Those that the index still has as they were before the commit; later staged changes stay. */
async function leftBehind(git: Git, commit: string, files: readonly string[]): Promise<string[]> {
  const parent = await git.text(['rev-parse', '--verify', '--quiet', `${commit}^`]);
  const stagedAgainst = async (base: string) =>
    new Set(fieldsOf((await git.run(['diff-index', '--cached', '-z', '--name-only', base])).output));
  const [now, then] = await Promise.all([stagedAgainst('HEAD'), stagedAgainst(parent ?? commit)]);
  return files.filter((path) => now.has(path) && !then.has(path));
}
