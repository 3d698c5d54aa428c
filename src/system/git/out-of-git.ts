/**
 * Our own directory inside a user's repository. Git neither shows nor adds what is in it, and `git clean -fdx`, which
 * removes what is ignored, leaves it alone: git does not reach into a directory that looks like another repository.
 */
import { hash } from 'node:crypto';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { deflateSync } from 'node:zlib';
import { ensureDir, readIfExists, removeIfExists, replaceFile } from '../files.ts';
import * as io from '../io.ts';
import { runGitNow } from './git.ts';

/** A team may commit the project's settings; everything else belongs to this machine. */
const IGNORED = '*\n!config.json\n';
const OURS: readonly (string | undefined)[] = [IGNORED, '*\n'];

/** Whether a directory's .gitignore is one that we wrote for a directory of our own. */
export function isOwnIgnore(text: string | undefined): boolean {
  return OURS.includes(text);
}

/** Makes git ignore a directory of ours, and protects it from `git clean`. */
export function keepOutOfGit(dir: string): void {
  const file = join(dir, '.gitignore');
  if (!io.lstat(file)) replaceFile(file, Buffer.from(IGNORED));
  keepFromCleaning(dir);
}

/**
 * Repeated whenever the directory is opened: the repository around it may be newer, or a different one. Not done if the user
 * tracks something in it, or if the exclude line, which git needs, cannot be written.
 */
export function keepFromCleaning(dir: string): void {
  try {
    const here = resolve(dir);
    const outer = repositoryAround(dirname(here));
    if (outer === 'ours') return;
    const isWanted = outer !== null && isOwnIgnore(readIfExists(join(here, '.gitignore'))?.toString());
    const isThere = io.lstat(join(here, '.git')) !== null;
    if (isThere && !isOurs(join(here, '.git'))) return;
    if (!isWanted) standDown(here);
    else if ((isThere || !tracksSome(here)) && exclude(outer, here)) standIn(here);
  } catch (error) {
    if (io.errnoOf(error) === undefined) throw error; // Optional: everything else works without it.
  }
}

interface Outer {
  readonly top: string;
  /** Shared by all its worktrees. */
  readonly common: string;
}

/** Found without git, which may be missing and is slower than reading a few files. */
function repositoryAround(start: string): Outer | 'ours' | null {
  for (let top = start; ; top = dirname(top)) {
    const common = commonDir(join(top, '.git'));
    if (common !== null) return isOurs(common) ? 'ours' : { top, common };
    if (dirname(top) === top) return null;
  }
}

function commonDir(git: string): string | null {
  const found = io.lstat(git);
  if (found?.isDirectory()) return io.lstat(join(git, 'HEAD')) ? git : null;
  if (!found?.isFile()) return null;
  const [, named] = /^gitdir: (.+)$/.exec(lineOf(git) ?? '') ?? [];
  if (named === undefined) return null;
  const own = resolve(dirname(git), named);
  const shared = lineOf(join(own, 'commondir'));
  // A `.git` file that came with the directory may name any path: that repository has to know this worktree, or lie in a
  // repository above it.
  if (shared !== null)
    return lineOf(join(own, 'gitdir')) === (io.realpath(git) ?? git) ? resolve(own, shared) : null;
  const [above] = own.split(`${sep}.git${sep}modules${sep}`);
  return above !== own && git.startsWith(`${above}${sep}`) && io.lstat(join(own, 'HEAD')) ? own : null;
}

function lineOf(file: string): string | null {
  return readIfExists(file, MOST_BYTES)?.toString().trim() ?? null;
}
const MOST_BYTES = 8192;

/** Adds the line that makes `status` and `add` ignore it; returns whether the line is there now. */
function exclude({ top, common }: Outer, dir: string): boolean {
  const file = join(common, 'info', 'exclude');
  // A directory of this name is ours, even after it is moved within the repository.
  const inside = relative(top, dir).split(sep).join('/');
  const line = basename(dir) === '.vibe-engine' ? '.vibe-engine/' : `/${escaped(inside)}/`;
  const known = readIfExists(file)?.toString() ?? '';
  if (known.split('\n').includes(line)) return true;
  if (io.lstat(file)?.isSymbolicLink() || io.lstat(dirname(file))?.isSymbolicLink()) return false;
  ensureDir(dirname(file), 0o755);
  const start = known === '' || known.endsWith('\n') ? known : `${known}\n`;
  const text = `${start}# The store of vibe-engine: git clean leaves it alone.\n${line}\n`;
  replaceFile(file, Buffer.from(text), (io.lstat(file)?.mode ?? 0o644) & 0o777);
  return true;
}

/** Wildcards in a name are escaped. */
export function escaped(path: string): string {
  return path.replace(/[\\*?[\]]/g, '\\$&');
}

const BRANCH = 'refs/heads/not-a-repository-but-kept-from-git-clean';
const HEAD = `ref: ${BRANCH}\n`;

/** An empty commit: beside a repository without one, `git add -A` fails where our exclude line is not read. */
const TREE = objectOf('tree', '');
const COMMIT = objectOf(
  'commit',
  `tree ${TREE.id}\nauthor vibe-engine <> 0 +0000\ncommitter vibe-engine <> 0 +0000\n\nKept from git clean.\n`,
);

function objectOf(kind: string, text: string): { id: string; path: string; bytes: Buffer } {
  const whole = Buffer.from(`${kind} ${Buffer.byteLength(text)}\0${text}`);
  const id = hash('sha1', whole);
  return { id, path: join('objects', id.slice(0, 2), id.slice(2)), bytes: deflateSync(whole) };
}

function isOurs(git: string): boolean {
  const head = readIfExists(join(git, 'HEAD'), MOST_BYTES);
  return head === null ? io.lstat(join(git, 'objects')) !== null : head.toString() === HEAD;
}

/** The minimum that git accepts as a repository. HEAD is written last: until then git does not. */
function standIn(dir: string): void {
  const git = join(dir, '.git');
  const branch = join(git, BRANCH);
  if (!io.lstat(branch)) {
    for (const { path, bytes } of [TREE, COMMIT]) put(join(git, path), bytes);
    put(branch, Buffer.from(`${COMMIT.id}\n`));
  }
  if (!io.lstat(join(git, 'HEAD'))) replaceFile(join(git, 'HEAD'), Buffer.from(HEAD));
}

function put(file: string, bytes: Buffer): void {
  ensureDir(dirname(file));
  replaceFile(file, bytes);
}

/** Without its exclude line, git would refuse to add anything next to it, or add it as a submodule. */
function standDown(dir: string): void {
  const git = join(dir, '.git');
  if (!io.lstat(git)?.isDirectory()) return;
  for (const file of ['HEAD', BRANCH, COMMIT.path, TREE.path]) removeIfExists(join(git, file));
  const objects = [COMMIT, TREE].map(({ path }) => dirname(path));
  for (const part of [...objects, 'objects', 'refs/heads', 'refs', '.'])
    if (io.lstat(join(git, part))) io.rmdir(join(git, part));
}

/** Then git would no longer see changes to it. True also if that cannot be determined. */
function tracksSome(dir: string): boolean {
  const listed = runGitNow(dirname(dir), ['ls-files', '-z', '--', `:(literal)${basename(dir)}`]);
  return listed === null || listed.length > 0;
}
