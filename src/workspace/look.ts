/** What one name in a directory is now, told from one lstat where nothing changed since it was last seen. */
import { join } from 'node:path';
import * as io from '../system/io.ts';
import { isOwnName, listedName, nameProblem } from './names.ts';
import type { Inside, Rules, Scope } from './rules.ts';
import { type Directory, type Entry, type FileEntry, joinPath, type OmitReason, type Tree } from './tree.ts';

/** Times and inode of everything a scan saw, by which the next one knows what did not change. */
export interface Seen {
  readonly tree: Tree;
  /** Per directory, `STAMP` numbers a name. */
  readonly stamps: ReadonlyMap<string, Float64Array>;
}

/** mtime and ctime in milliseconds, to a quarter of a microsecond, and the inode. */
export const STAMP = 3;

/** A directory as it is being looked at; `undefined` for what is gone or not known yet. */
export interface Draft {
  readonly path: string;
  readonly names: readonly string[];
  readonly entries: (Entry | undefined)[];
  readonly stamps: Float64Array;
  readonly before: Directory | undefined;
}

/** A file whose bytes have to be read. */
export interface Pending {
  readonly draft: Draft;
  readonly index: number;
  readonly path: string;
  readonly mode: number;
  readonly stamp: readonly [mtime: number, ctime: number, ino: number, size: number];
  readonly known: FileEntry | null;
}

/** How names in one directory are judged. */
export interface Outlook {
  readonly root: string;
  readonly rules: Rules;
  readonly scope: () => Scope | null;
  readonly inside: Inside;
  /** Time by the file system's clock when the scan began: what is as young may change again without a trace. */
  readonly now: number;
}

export interface Known {
  readonly entry: Entry;
  readonly stamps: Float64Array;
  readonly at: number;
}

export type Looked =
  | { readonly kind: 'done' }
  | { readonly kind: 'pending'; readonly pending: Pending }
  | { readonly kind: 'enter'; readonly path: string; readonly unchanged: boolean; readonly inside: Inside };

const DONE: Looked = { kind: 'done' };

/** `judged`: the rules need not be asked again. `force`: it changed, whatever its times say. */
export function lookAt(
  draft: Draft,
  index: number,
  known: Known | null,
  outlook: Outlook,
  { judged, force }: { judged: boolean; force: boolean },
): Looked {
  const name = draft.names[index]!;
  const path = joinPath(draft.path, name);
  const settle = (entry: Entry | undefined): Looked => {
    draft.entries[index] = entry && known && sameValue(known.entry, entry) ? known.entry : entry;
    return DONE;
  };
  const omit = (why: OmitReason) => settle({ kind: 'omitted', why });

  if (name.startsWith('?') && nameProblem(name)) return omit('name');
  const stat = statOf(join(outlook.root, path));
  if (stat === 'unreadable') return omit(stat);
  if (!stat) return settle(undefined);
  const stampAt = index * STAMP;
  if (Math.max(stat.mtimeMs, stat.ctimeMs) < outlook.now) {
    draft.stamps[stampAt] = stat.mtimeMs;
    draft.stamps[stampAt + 1] = stat.ctimeMs;
    draft.stamps[stampAt + 2] = stat.ino;
  } else draft.stamps[stampAt] = Number.NaN;

  const isDirectory = stat.isDirectory();
  const same = !force && known !== null && sameStamp(stat, known);
  const isJudged = judged && known !== null && (known.entry.kind === 'dir') === isDirectory;
  const why = isJudged ? null : outlook.rules.leaveOut(path, isDirectory, outlook.scope, outlook.inside);
  const mode = stat.mode & 0o777;

  if (isDirectory) {
    const entered = why === null || (why === 'ignored' && outlook.rules.entersIgnored(path));
    if (!entered) return omit(why);
    settle({ kind: 'dir', mode });
    const inside = why === 'ignored' ? 'ignored' : outlook.rules.within(path, outlook.inside);
    return { kind: 'enter', path, unchanged: same && known.entry.kind === 'dir', inside };
  }
  if (why) return omit(why);
  if (stat.isSymbolicLink()) {
    return settle(same && known.entry.kind === 'symlink' ? known.entry : readLink(join(outlook.root, path)));
  }
  if (!stat.isFile()) return omit('special');
  if (stat.size > outlook.rules.maxBytes) return omit('too_large');
  const file = known?.entry.kind === 'file' ? known.entry : null;
  if (same && file?.size === stat.size && file.mode === mode) return settle(file);
  const stamp = [stat.mtimeMs, stat.ctimeMs, stat.ino, stat.size] as const;
  return { kind: 'pending', pending: { draft, index, path, mode, stamp, known: file } };
}

/** Null when nothing is there, or no directory above it any more. */
function statOf(path: string): Stats | 'unreadable' | null {
  try {
    return io.lstat(path);
  } catch (error) {
    if (io.errnoOf(error) === 'ENOTDIR') return null;
    if (io.errnoOf(error) === 'EACCES') return 'unreadable';
    throw error;
  }
}

type Stats = NonNullable<ReturnType<typeof io.lstat>>;

function sameStamp(stat: Stats, { stamps, at }: Known): boolean {
  return stamps[at] === stat.mtimeMs && stamps[at + 1] === stat.ctimeMs && stamps[at + 2] === stat.ino;
}

function sameValue(a: Entry, b: Entry): boolean {
  if (a === b) return true;
  if (a.kind === 'dir') return b.kind === 'dir' && a.mode === b.mode;
  if (a.kind === 'symlink') return b.kind === 'symlink' && a.target === b.target;
  return a.kind === 'omitted' && b.kind === 'omitted' && a.why === b.why;
}

function readLink(path: string): Entry | undefined {
  try {
    const bytes = io.readlink(path);
    const target = bytes.toString();
    return Buffer.from(target).equals(bytes) ? { kind: 'symlink', target } : { kind: 'omitted', why: 'name' };
  } catch (error) {
    if (['ENOENT', 'EINVAL'].includes(io.errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}

/** The names in a directory as snapshots have them, in order; null when it cannot be read. */
export function listNames(path: string): string[] | null {
  let names: string[];
  try {
    names = io.readNames(path);
    if (names.some((name) => nameProblem(name))) names = io.readNameBytes(path).flatMap(asListed);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(io.errnoOf(error) ?? '')) return null;
    throw error;
  }
  return names.sort();
}

function asListed(bytes: Buffer): string[] {
  const name = bytes.toString();
  if (name === '.git' || (isOwnName(name) && /^\.vibe-engine/.test(name))) return [];
  return nameProblem(name) ? [listedName(bytes)] : [name];
}
