/** What one name in a directory is now; one lstat is enough if nothing changed since it was last seen. */
import * as io from '../../system/io.ts';
import type { Judge } from '../rules/judge.ts';
import { isOwnName, listedName, nameProblem } from '../tree/names.ts';
import { ALL_BITS, type FileEntry, indexOfName, type OmitReason, type TreeEntry } from '../tree/tree.ts';
import { carryOver, type Draft, isAsSeen, setEntry, setStamp, setStaysOmitted } from './draft.ts';

/** A file whose bytes have to be read. */
export interface Pending {
  readonly draft: Draft;
  readonly index: number;
  readonly path: string;
  readonly mode: number;
  readonly stamp: readonly [mtime: number, ctime: number, ino: number, size: number];
  readonly known: FileEntry | null;
}

/** How the names in one directory are looked at. */
export interface Outlook {
  /** What stands before a name: in full, and from the root of the workspace. */
  readonly full: string;
  readonly inner: string;
  readonly judge: Judge;
  /** Time by the file system's clock when the scan started: a file that is as new may change again without a trace. */
  readonly now: number;
  /** The rules changed and have to be applied to everything again. */
  readonly again: boolean;
  readonly keepsCaptured: boolean;
  /** Called with a directory that was captured and that was closed to its owner since, before it is read. */
  readonly closed: (path: string) => void;
}

/** Nothing more to do; bytes to read; or a directory to look into. */
export type Looked = null | Pending | { readonly enter: string; readonly unchanged: boolean };

type Stats = NonNullable<ReturnType<typeof io.lstat>>;

/** `at`: where the name stood before, or -1. `force`: it changed, even if its times did not. */
export function lookAt(draft: Draft, index: number, at: number, outlook: Outlook, force: boolean): Looked {
  const name = draft.names[index]!;
  if (name.startsWith('?') && nameProblem(name)) return omit(draft, index, 'name');
  const stat = statOf(outlook.full + name);
  if (!stat) return setEntry(draft, index, undefined);
  if (stat === 'unreadable') return omit(draft, index, stat);
  const same = !force && isAsSeen(draft, at, stat);
  if (!same || outlook.again) return lookCloser(draft, index, at, same, outlook, stat);
  if (draft.names !== draft.before!.names) carryOver(draft, index, at);
  return stat.isDirectory() ? { enter: outlook.inner + name, unchanged: true } : null;
}

function lookCloser(
  draft: Draft,
  index: number,
  at: number,
  same: boolean,
  outlook: Outlook,
  stat: Stats,
): Looked {
  const name = draft.names[index]!;
  const path = outlook.inner + name;
  const mode = stat.mode & ALL_BITS;
  const isDirectory = stat.isDirectory();
  const entry = at < 0 ? null : draft.before!.entries[at]!;
  const wasJudged = entry !== null && entry.kind !== 'omitted' && (entry.kind === 'dir') === isDirectory;
  const why = wasJudged && !outlook.again ? null : outlook.judge.leaveOut(path, isDirectory);
  // What was captured stays so: ignoring it from now on does not mean that it need not be restored.
  const stays = outlook.keepsCaptured && why && STAYS_CAPTURED.has(why);
  if (why && !(stays && wasCaptured(draft, name, isDirectory))) return omit(draft, index, why);
  setStamp(draft, index, stat, outlook.now);
  if (isDirectory) {
    if ((mode & LOOK_INTO) !== LOOK_INTO && entry?.kind === 'dir') outlook.closed(outlook.full + name);
    setEntry(draft, index, entry?.kind === 'dir' && entry.mode === mode ? entry : { kind: 'dir', mode });
    return { enter: path, unchanged: same && entry?.kind === 'dir' };
  }
  if (stat.isSymbolicLink()) {
    const known = entry?.kind === 'symlink' ? entry : null;
    const found = same && known ? known : readLink(outlook.full + name);
    if (found?.kind === 'omitted') return omit(draft, index, found.why);
    const isKnown = known && found?.kind === 'symlink' && found.target === known.target;
    return setEntry(draft, index, isKnown ? known : found);
  }
  if (!stat.isFile()) return omit(draft, index, 'special');
  const file = entry?.kind === 'file' ? entry : null;
  const { maxBytes, isAlso } = outlook.judge;
  if (stat.size > maxBytes && !isAlso(path) && !(file && file.size > maxBytes))
    return omit(draft, index, 'too_large');
  if (same && file) return setEntry(draft, index, file);
  const stamp = [stat.mtimeMs, stat.ctimeMs, stat.ino, stat.size] as const;
  return { draft, index, path, mode, stamp, known: file };
}

const LOOK_INTO = 0o500;

/** Also where another file has its name by now. */
function wasCaptured({ before }: Draft, name: string, isDirectory: boolean): boolean {
  const at = before ? indexOfName(before.names, name) : -1;
  const entry = at < 0 ? null : before!.entries[at]!;
  return entry !== null && entry.kind !== 'omitted' && (entry.kind === 'dir') === isDirectory;
}

const STAYS_CAPTURED: ReadonlySet<OmitReason> = new Set(['ignored', 'secret']);

/** Reasons that hold until the directory or the rules change: what the name is cannot change otherwise. */
const STAYING: ReadonlySet<OmitReason> = new Set(['ignored', 'excluded', 'secret', 'special', 'name']);

export function omit(draft: Draft, index: number, why: OmitReason): null {
  setStaysOmitted(draft, index, STAYING.has(why));
  const known = draft.entries ? draft.entries[index] : draft.before!.entries[index];
  return setEntry(
    draft,
    index,
    known?.kind === 'omitted' && known.why === why ? known : { kind: 'omitted', why },
  );
}

/** Not allowed, or deeper than the system's longest path. */
const CANNOT_LOOK = new Set(['EACCES', 'ENAMETOOLONG']);

/** Null if it, or a directory above it, does not exist. */
export function statOf(path: string): Stats | 'unreadable' | null {
  try {
    return io.lstat(path);
  } catch (error) {
    if (io.errnoOf(error) === 'ENOTDIR') return null;
    if (CANNOT_LOOK.has(io.errnoOf(error) ?? '')) return 'unreadable';
    throw error;
  }
}

function readLink(path: string): TreeEntry | undefined {
  try {
    const bytes = io.readlink(path);
    const target = bytes.toString();
    return Buffer.from(target).equals(bytes) ? { kind: 'symlink', target } : { kind: 'omitted', why: 'name' };
  } catch (error) {
    if (['ENOENT', 'EINVAL'].includes(io.errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}

/** The names in a directory as snapshots have them, without those of stores, in order; null when it cannot be read. */
export function listNames(path: string, isStores: (name: string) => boolean): string[] | null {
  let names: string[];
  try {
    names = io.readNames(path);
    if (names.some((name) => nameProblem(name))) names = io.readNameBytes(path).flatMap(asListed);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ENAMETOOLONG'].includes(io.errnoOf(error) ?? ''))
      return null;
    throw error;
  }
  return names.filter((name) => !isStores(name)).sort();
}

function asListed(bytes: Buffer): string[] {
  const name = bytes.toString();
  if (name === '.git' || (isOwnName(name) && /^\.vibe-engine/.test(name))) return [];
  return nameProblem(name) ? [listedName(bytes)] : [name];
}
