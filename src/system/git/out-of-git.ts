/**
 * A directory of our own in somebody's repository. Git neither shows nor adds what is in it, and `git clean -fdx`, which
 * removes what is ignored, leaves it alone: git does not reach into a directory that looks like another repository.
 */
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { ensureDir, readIfExists, removeIfExists, replaceFile } from '../files.ts';
import * as io from '../io.ts';
import { runGitNow } from './git.ts';

/** The project's settings are a team's to commit; all else is this machine's. */
const IGNORED = '*\n!config.json\n';
const OURS: readonly (string | undefined)[] = [IGNORED, '*\n'];

/** Whether a directory's .gitignore is one that we wrote for a directory of our own. */
export function isOwnIgnore(text: string | undefined): boolean {
  return OURS.includes(text);
}

/** Makes git look past a directory that is ours alone, and keeps it from being cleaned away. */
export function keepOutOfGit(dir: string): void {
  const file = join(dir, '.gitignore');
  if (!io.lstat(file)) replaceFile(file, Buffer.from(IGNORED));
  keepFromCleaning(dir);
}

/**
 * Done again whenever the directory is opened: the repository around it may have come later, or be another one. Where the
 * person lets git see something in it, or the line cannot be written without which git would stumble over it, it is not.
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
    if (io.errnoOf(error) === undefined) throw error; // A courtesy: where it may not be done, all else works.
  }
}

interface Outer {
  readonly top: string;
  /** Shared by all its worktrees. */
  readonly common: string;
}

/** Found without git, which may be missing, and costs more than a few looks each time. */
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
  // A file that came with the directory may name any place: it has to know this one, or lie in a repository above it.
  if (shared !== null)
    return lineOf(join(own, 'gitdir')) === (io.realpath(git) ?? git) ? resolve(own, shared) : null;
  const [above] = own.split(`${sep}.git${sep}modules${sep}`);
  return above !== own && git.startsWith(`${above}${sep}`) && io.lstat(join(own, 'HEAD')) ? own : null;
}

function lineOf(file: string): string | null {
  return readIfExists(file, MOST_BYTES)?.toString().trim() ?? null;
}
const MOST_BYTES = 8192;

/** Adds the line by which `status` and `add` pass over it; whether it is there now. */
function exclude({ top, common }: Outer, dir: string): boolean {
  const file = join(common, 'info', 'exclude');
  // Wherever a directory of this name is moved to in the repository, it is ours.
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

/** A name that has a wildcard in it is meant as it is. */
export function escaped(path: string): string {
  return path.replace(/[\\*?[\]]/g, '\\$&');
}

const HEAD = 'ref: refs/heads/not-a-repository-but-kept-from-git-clean\n';

function isOurs(git: string): boolean {
  const head = readIfExists(join(git, 'HEAD'), MOST_BYTES);
  return head === null ? io.lstat(join(git, 'objects')) !== null : head.toString() === HEAD;
}

/** The least that git takes for a repository. Its head comes last: until then git does not. */
function standIn(dir: string): void {
  const git = join(dir, '.git');
  if (io.lstat(join(git, 'HEAD'))) return;
  for (const part of ['objects', 'refs']) ensureDir(join(git, part));
  replaceFile(join(git, 'HEAD'), Buffer.from(HEAD));
}

/** Without its line in the repository around it, git would refuse to add anything beside it. */
function standDown(dir: string): void {
  const git = join(dir, '.git');
  if (!io.lstat(git)?.isDirectory()) return;
  removeIfExists(join(git, 'HEAD'));
  for (const part of ['objects', 'refs', '.']) io.rmdir(join(git, part));
}

/** Git would then not see changes to that any more. Also where it cannot be found out. */
function tracksSome(dir: string): boolean {
  const listed = runGitNow(dirname(dir), ['ls-files', '-z', '--', `:(literal)${basename(dir)}`]);
  return listed === null || listed.length > 0;
}
