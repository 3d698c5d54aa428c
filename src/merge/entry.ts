/** One path of three trees: what it is in each, and what becomes of it. */
export type TreeEntry =
  /** `hash` is the same for the same bytes. */
  | { readonly kind: 'file'; readonly mode: number; readonly hash: string }
  | { readonly kind: 'symlink'; readonly target: string }
  | { readonly kind: 'dir'; readonly mode: number };

export type Side = 'ours' | 'theirs';

export type TreeConflict =
  /** One side changed what the other deleted. */
  | 'modify/delete'
  /** One side moved what the other deleted. */
  | 'rename/delete'
  /** The sides moved one file to two places. */
  | 'rename/rename'
  /** The sides put different things at one path. */
  | 'add/add'
  /** A file where the other side has a directory. */
  | 'directory/file'
  /** A file here, a symbolic link there. */
  | 'kind'
  /** Two targets of one symbolic link. */
  | 'symlink'
  /** Two modes. */
  | 'mode';

/** What should be there. With a conflict it is a proposal: it loses nothing, but someone has to agree. */
export type Result =
  /** The entry; the bytes are those of the side. */
  | { readonly do: 'take'; readonly side: Side; readonly entry: TreeEntry }
  /** The texts of the three files are to be merged. */
  | { readonly do: 'merge'; readonly mode: number }
  | { readonly do: 'remove' };

interface Outcome {
  readonly result: Result;
  readonly conflict?: TreeConflict;
}

type MaybeEntry = TreeEntry | undefined;

export function mergeEntries(base: MaybeEntry, ours: MaybeEntry, theirs: MaybeEntry): Outcome {
  if (sameEntry(ours, theirs) || sameEntry(base, theirs)) return { result: take('ours', ours) };
  if (sameEntry(base, ours)) return { result: take('theirs', theirs) };
  if (!ours) return { result: take('theirs', theirs), conflict: 'modify/delete' };
  if (!theirs) return { result: take('ours', ours), conflict: 'modify/delete' };
  return mergeChanged(base, ours, theirs);
}

export function sameEntry(a: MaybeEntry, b: MaybeEntry): boolean {
  if (!a || !b) return a === b;
  if (a.kind === 'file') return b.kind === 'file' && a.mode === b.mode && a.hash === b.hash;
  if (a.kind === 'dir') return b.kind === 'dir' && a.mode === b.mode;
  return b.kind === 'symlink' && a.target === b.target;
}

/** Both sides have it, each has changed it, and not in the same way. */
function mergeChanged(base: MaybeEntry, ours: TreeEntry, theirs: TreeEntry): Outcome {
  const proposal: Result = { do: 'take', side: 'ours', entry: ours };
  if (ours.kind === 'symlink' && theirs.kind === 'symlink') {
    return { result: proposal, conflict: base ? 'symlink' : 'add/add' };
  }
  if (ours.kind === 'symlink' || theirs.kind === 'symlink' || ours.kind !== theirs.kind) {
    const directory = ours.kind === 'dir' || theirs.kind === 'dir';
    return { result: proposal, conflict: directory ? 'directory/file' : base ? 'kind' : 'add/add' };
  }
  const modeBefore = base?.kind === ours.kind ? base.mode : undefined;
  const mode = ours.mode === modeBefore ? theirs.mode : ours.mode;
  const modeSettled = ours.mode === theirs.mode || ours.mode === modeBefore || theirs.mode === modeBefore;
  const conflict = modeSettled ? {} : ({ conflict: 'mode' } as const);
  if (ours.kind === 'dir' || theirs.kind === 'dir') {
    return { result: { do: 'take', side: 'ours', entry: { kind: 'dir', mode } }, ...conflict };
  }
  const hashBefore = base?.kind === 'file' ? base.hash : undefined;
  if (ours.hash !== theirs.hash && ours.hash !== hashBefore && theirs.hash !== hashBefore) {
    return {
      result: { do: 'merge', mode },
      ...(hashBefore === undefined ? { conflict: 'add/add' } : conflict),
    };
  }
  const side = ours.hash === hashBefore ? 'theirs' : 'ours';
  const hash = side === 'ours' ? ours.hash : theirs.hash;
  return { result: { do: 'take', side, entry: { kind: 'file', mode, hash } }, ...conflict };
}

function take(side: Side, entry: MaybeEntry): Result {
  return entry ? { do: 'take', side, entry } : { do: 'remove' };
}
