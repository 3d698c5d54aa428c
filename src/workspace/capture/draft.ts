/** A directory as it is being looked at. It shares everything with what was seen before until something differs. */
import { NOT_COMPARED } from '../../system/stats/table.ts';
import type { Tree, TreeDirectory, TreeEntry } from '../tree/tree.ts';

/** What a scan saw of everything, by which the next one knows what did not change. */
export interface Seen {
  readonly tree: Tree;
  /** Per directory, `STAMP` numbers a name. */
  readonly stamps: ReadonlyMap<string, Float64Array>;
}

/** mtime and ctime in milliseconds, to a quarter of a microsecond, inode, size, and type with mode. */
export const STAMP = 5;
/** In the place of the mode: not captured, for as long as the directory and the rules are the same. */
const STAYS_OMITTED: typeof NOT_COMPARED = NOT_COMPARED;

interface Stats {
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly ino: number;
  readonly size: number;
  readonly mode: number;
}

export interface Draft {
  readonly names: readonly string[];
  /** Null: as before. `undefined` in it for what is gone or not known yet. */
  entries: (TreeEntry | undefined)[] | null;
  stamps: Float64Array;
  readonly before: TreeDirectory | undefined;
  readonly stampsBefore: Float64Array | undefined;
}

export function draftOf(names: readonly string[], path: string, seen: Seen): Draft {
  const before = seen.tree.get(path);
  const stampsBefore = seen.stamps.get(path);
  if (before && stampsBefore && names === before.names) {
    return { names, entries: null, stamps: stampsBefore, before, stampsBefore };
  }
  const entries = new Array<TreeEntry | undefined>(names.length).fill(undefined);
  const stamps = new Float64Array(names.length * STAMP).fill(Number.NaN);
  return { names, entries, stamps, before, stampsBefore };
}

export function setEntry(draft: Draft, index: number, entry: TreeEntry | undefined): null {
  if (draft.entries === null) {
    const { entries } = draft.before!;
    if (entries[index] === entry) return null;
    draft.entries = [...entries];
  }
  draft.entries[index] = entry;
  return null;
}

/** Whether it is what was seen under this index before. A file that was too new to be judged by its times never is. */
export function isAsSeen({ stampsBefore }: Draft, at: number, stat: Stats): boolean {
  if (at < 0 || !stampsBefore) return false;
  const base = at * STAMP;
  return (
    stampsBefore[base] === stat.mtimeMs &&
    stampsBefore[base + 1] === stat.ctimeMs &&
    stampsBefore[base + 2] === stat.ino &&
    stampsBefore[base + 3] === stat.size &&
    stampsBefore[base + 4] === stat.mode
  );
}

/** Whether it was a directory when it was seen. */
export function wasDirectory({ stamps }: Draft, index: number): boolean {
  const mode = stamps[index * STAMP + 4]!;
  return mode !== STAYS_OMITTED && (mode & TYPE) === DIRECTORY;
}

const TYPE = 0o170000;
const DIRECTORY = 0o040000;

export function staysOmitted({ stamps }: Draft, index: number): boolean {
  return stamps[index * STAMP + 4] === STAYS_OMITTED;
}

/** Notes the times, unless it is so new that it may change again without changing them. */
export function setStamp(draft: Draft, index: number, stat: Stats, now: number): void {
  const young = !(stat.mtimeMs < now && stat.ctimeMs < now);
  write(draft, index, [young ? Number.NaN : stat.mtimeMs, stat.ctimeMs, stat.ino, stat.size, stat.mode]);
}

export function setStaysOmitted(draft: Draft, index: number, stays: boolean): void {
  write(draft, index, [Number.NaN, 0, 0, 0, stays ? STAYS_OMITTED : 0]);
}

/** As it was, under another index. */
export function carryOver(draft: Draft, index: number, at: number): void {
  setEntry(draft, index, draft.before!.entries[at]);
  write(draft, index, draft.stampsBefore!.subarray(at * STAMP, (at + 1) * STAMP));
}

function write(draft: Draft, index: number, stamp: ArrayLike<number>): void {
  if (draft.stamps === draft.stampsBefore) {
    let same = true;
    for (let n = 0; n < STAMP; n++) same &&= Object.is(draft.stamps[index * STAMP + n], stamp[n]);
    if (same) return;
    draft.stamps = Float64Array.from(draft.stamps);
  }
  draft.stamps.set(stamp, index * STAMP);
}
