/**
 * What a file has besides its bytes and its mode: owner and group, an access list, extended attributes. A file that replaces
 * another is given them first. Node has no calls for that; GNU's `cp`, which nearly every Linux has, does it for many files
 * at once. On other platforms nothing is known of them.
 */

import { spawnSync } from 'node:child_process';
import { constants } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { openClosed, setModeAt } from './closed.ts';
import { ensureDir, removeIfExists } from './files.ts';
import * as io from './io.ts';
import { platform } from './platform.ts';

interface Heir {
  /** The file that is replaced. */
  readonly from: string;
  /** The one that replaces it, in a directory that only this process uses. */
  readonly to: string;
  /** The permissions it is to have. */
  readonly mode: number;
}

/** False if not everything could be copied: replacing the file would lose something. The caller syncs the file. */
export function inherit(heir: Heir): boolean {
  const { kept, changed } = inheritAll([heir]);
  for (const file of changed) io.close(file);
  return kept[0]!;
}

interface Inherited {
  /** Per heir: false if not everything could be copied. */
  readonly kept: readonly boolean[];
  /** Open: to be synced and closed by the caller. */
  readonly changed: readonly io.OpenFile[];
}

/** The same for many in one directory, each under a name of its own. */
export function inheritAll(heirs: readonly Heir[]): Inherited {
  const changed: io.OpenFile[] = [];
  if (!isKnown()) return { kept: heirs.map(() => true), changed };
  const there = heirs.filter(({ from }) => io.lstat(from)?.isFile());
  for (const { to } of there) setModeAt(to, OPEN);
  const closing = there.flatMap(({ from }) => openClosed(from) ?? []);
  const failed = new Set<Heir>();
  try {
    if (!copyMany(there)) for (const heir of there) if (!copyOne(heir)) failed.add(heir);
  } finally {
    for (const close of closing) close();
  }
  // A `cp` that does not support it says nothing about the files.
  const works = failed.size < there.length || failed.size === 0 || canCopy(dirname(there[0]!.to));
  const kept = heirs.map((heir) => {
    const isInheritedFrom = works && there.includes(heir);
    const isKept = !isInheritedFrom || (!failed.has(heir) && hasOwnerOf(heir));
    if (isKept && there.includes(heir)) changed.push(settle(heir));
    return isKept;
  });
  return { kept, changed };
}

const CP = '/bin/cp';
/** As the caller stages it. */
const OPEN = 0o600;
const WRITE_NO_FOLLOW = constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0);

/** Runs `cp`, with paths that lead through the directories this process has open. */
function copy(argsFor: (reach: (path: string) => string) => readonly string[]): boolean {
  const handed: number[] = [];
  const args = argsFor((path) => {
    const [, directory, name] = /^\/proc\/self\/fd\/(\d+)\/(.*)$/s.exec(path) ?? [];
    return directory === undefined ? path : `/proc/self/fd/${2 + handed.push(Number(directory))}/${name}`;
  });
  const { status } = spawnSync(CP, ['--attributes-only', '--preserve=mode,ownership,xattr', ...args], {
    env: { LC_ALL: 'C' },
    stdio: ['ignore', 'ignore', 'ignore', ...handed],
  });
  return status === 0;
}

function copyOne({ from, to }: Pick<Heir, 'from' | 'to'>): boolean {
  return copy((reach) => ['-T', '--', reach(from), reach(to)]);
}

/** By links, which can have the names that the heirs have. */
function copyMany(heirs: readonly Heir[]): boolean {
  if (heirs.length < 2) return false;
  const dir = dirname(heirs[0]!.to);
  const links = join(dir, 'links');
  ensureDir(links);
  const named = heirs.map(({ from, to }) => ({ from, link: join(links, basename(to)) }));
  const isDone = copy((reach) => {
    for (const { from, link } of named) {
      removeIfExists(link);
      io.symlink(reach(from), link);
    }
    return ['--dereference', '-t', dir, '--', ...named.map(({ link }) => link)];
  });
  for (const { link } of named) removeIfExists(link);
  return isDone;
}

function hasOwnerOf({ from, to }: Heir): boolean {
  const [source, made] = [io.lstat(from), io.lstat(to)];
  return !source || (made?.uid === source.uid && made.gid === source.gid);
}

/** Sets the mode, without setuid and setgid: those were granted to the old bytes. */
function settle({ to, mode }: Heir): io.OpenFile {
  setModeAt(to, (io.lstat(to)!.mode & 0o7777) | OPEN);
  const file = io.open(to, WRITE_NO_FOLLOW);
  try {
    io.truncate(file, io.fstat(file).size);
    io.chmod(file, mode);
    return file;
  } catch (error) {
    io.close(file);
    throw error;
  }
}

let known: boolean | undefined;

function isKnown(): boolean {
  known ??= io.lstat(CP) !== null;
  return platform.proc && known;
}

/** Checked only after a failure: some programs called `cp` do not support it. */
function canCopy(dir: string): boolean {
  const [from, to] = [join(dir, `like-${process.pid}-a`), join(dir, `like-${process.pid}-b`)];
  for (const path of [from, to]) io.close(io.open(path, 'w'));
  known = copyOne({ from, to });
  for (const path of [from, to]) removeIfExists(path);
  return known;
}
