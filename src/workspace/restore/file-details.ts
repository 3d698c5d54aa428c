/** The contents of a file before and after a restore: which hunks go, which stay, and whose they are. */
import { VibeError } from '../../errors.ts';
import { type Blame, blame, carried, type Makers } from '../../merge/blame.ts';
import { type Authors, isBinary, type TextHunk, textHunks } from '../../merge/hunks.ts';
import type { Reader } from '../snapshot/reader.ts';
import { sameEntry, type TreeEntry } from '../tree/tree.ts';
import type { BackConflict } from './merge-back.ts';
import type { PlanItem } from './plan.ts';

export interface FileDetails {
  /** The text that is there, and the one that would be there; null where there is none, or it is not shown. */
  readonly before: string | null;
  readonly after: string | null;
  /**
   * What goes: from what is there to what would be there. For a conflict, from what the task left to what was before it.
   * Null where it is not shown.
   */
  readonly own: readonly TextHunk[] | null;
  /** What others did, and stays: from the target to what would be there. For a conflict, from what the task left to now. */
  readonly others: readonly TextHunk[] | null;
  /** Lines that both changed, and about which somebody can decide. */
  readonly conflict: BackConflict | null;
  readonly binary: boolean;
  /** Its contents are not shown, because there is too much of them. */
  readonly too_large: boolean;
}

export const NO_DETAILS: FileDetails = {
  before: null,
  after: null,
  own: null,
  others: null,
  conflict: null,
  binary: false,
  too_large: false,
};

/** A version of a file; `by`: who made it out of the one before. */
export interface FileVersion {
  readonly entry: TreeEntry | null;
  readonly by: string | null;
}

/** In bytes: of one file, and of all files of a preview. */
const MOST_OF_ONE = 2 * 1024 * 1024;
export const MOST_OF_ALL = 8 * 1024 * 1024;
/** Versions of one file in between. */
export const MOST_VERSIONS = 200;

interface Detailed extends Pick<PlanItem, 'path' | 'current' | 'target' | 'steps'> {
  /** As it would be; and its content, where nothing has stored it. */
  readonly wanted: TreeEntry | null;
  readonly bytes: Uint8Array | null;
  readonly outcome: 'clean' | 'ask' | 'conflict';
  /** From the target to now. */
  readonly versions: readonly FileVersion[];
}

/** `room`: for so many bytes; `size`: how many it took. */
export async function detailsOf(
  { reader }: { readonly reader: Reader },
  file: Detailed,
  room: number,
  context?: number,
): Promise<FileDetails & { readonly size: number }> {
  const { path, current, wanted, target, steps, outcome, versions } = file;
  const shown = [current, wanted, target];
  const size = shown.reduce((sum, entry) => sum + sizeOf(entry), 0);
  if (size > room || shown.some((entry) => sizeOf(entry) > MOST_OF_ONE))
    return { ...NO_DETAILS, too_large: true, size: 0 };
  const read = (entry: TreeEntry | null) => contentOf(reader, path, entry);
  const hunks = (from: Uint8Array, to: Uint8Array, who: { removed?: Authors; added?: Authors }) =>
    textHunks(from, to, { ...who, ...(context === undefined ? {} : { context }) });
  const there = await read(current);
  const base = await read(target);
  const then = file.bytes ?? (await read(wanted));
  if ([there, base, then].some(isBinary)) return { ...NO_DETAILS, binary: true, size };
  const before = textOf(current, there);
  const rest = { binary: false, too_large: false, size };
  if (outcome === 'conflict') {
    const last = steps.at(-1)?.after ?? null;
    const left = await read(last);
    const was = await read(steps[0]?.before ?? null);
    if ([left, was].some(isBinary)) return { ...NO_DETAILS, binary: true, size };
    const task = versions.findLast(({ entry }) => sameEntry(entry, last))?.by ?? null;
    const own = hunks(left, was, {}).map((hunk) => ({ ...hunk, by: task }));
    const by = versions.at(-1)?.by ?? null;
    const others = hunks(left, there, {}).map((hunk) => ({ ...hunk, by }));
    return { before, after: null, own, others, conflict: null, ...rest };
  }
  const makers = await blamed(versions, reader, path);
  const who = { removed: authorsOf(makers.removed), added: authorsOf(makers.added) };
  const own = hunks(there, then, { removed: who.added, added: carried(base, then, who.removed) });
  const others = hunks(base, then, { removed: who.removed, added: carried(there, then, who.added) });
  return { before, after: textOf(wanted, then), own, others, conflict: null, ...rest };
}

/** As far as the plan knows: what is not the task's is others'. */
export function byTaskAndOthers(
  { current, steps, doubtful }: Pick<PlanItem, 'current' | 'steps' | 'doubtful'>,
  target: TreeEntry | null,
): FileVersion[] {
  const found: FileVersion[] = [{ entry: target, by: null }];
  const add = (entry: TreeEntry | null, by: string): void => {
    if (!sameEntry(found.at(-1)!.entry, entry)) found.push({ entry, by: doubtful ? null : by });
  };
  for (const { before, after } of steps) {
    add(before, 'you');
    add(after, 'task');
  }
  add(current, 'you');
  return found;
}

/** Nobody, where a version is gone, or there are too many. */
export async function blamed<V extends FileVersion>(
  versions: readonly V[],
  reader: Reader,
  path: string,
): Promise<Blame<V>> {
  const [first, ...later] = versions;
  if (!first || versions.length > MOST_VERSIONS || versions.some(({ entry }) => sizeOf(entry) > MOST_OF_ONE))
    return NOBODY;
  try {
    const of = async (by: V) => ({ bytes: await contentOf(reader, path, by.entry), by });
    const all: [Awaited<ReturnType<typeof of>>, ...Awaited<ReturnType<typeof of>>[]] = [await of(first)];
    for (const version of later) all.push(await of(version));
    return blame(all);
  } catch (error) {
    if (error instanceof VibeError) return NOBODY;
    throw error;
  }
}

const NOBODY = { removed: [], added: [] };

export function authorsOf(makers: Makers<FileVersion>): Authors {
  return makers.map((version) => version?.by);
}

/** A link is where it leads; what is no file has nothing in it. */
export async function contentOf(reader: Reader, path: string, entry: TreeEntry | null): Promise<Uint8Array> {
  if (entry?.kind === 'symlink') return Buffer.from(entry.target);
  return entry?.kind === 'file' ? (await reader.contents([{ path, entry }]))[0]! : new Uint8Array();
}

function textOf(entry: TreeEntry | null, bytes: Uint8Array): string | null {
  return entry?.kind === 'file' || entry?.kind === 'symlink' ? Buffer.from(bytes).toString() : null;
}

export function sizeOf(entry: TreeEntry | null): number {
  return entry?.kind === 'file' ? entry.size : 0;
}
