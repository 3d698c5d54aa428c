/** Where in a file the two sides changed it, and where they met. */
import { diffLines, type Hunk } from '../merge/diff.ts';
import { lineReader } from '../merge/lines.ts';
import type { TextConflict } from '../merge/pieces.ts';
import { matchRarest } from '../merge/rarest.ts';
import { mergeText } from '../merge/text.ts';

export interface FileHunks {
  /** Against what both started from; lines count from 0, `to` is the first one after. */
  readonly ours: readonly Hunk[];
  readonly theirs: readonly Hunk[];
  readonly conflicts: readonly TextConflict['lines'][];
}

export const NO_HUNKS: FileHunks = { ours: [], theirs: [], conflicts: [] };

interface Versions {
  readonly base: Uint8Array;
  readonly ours: Uint8Array;
  readonly theirs: Uint8Array;
}

/** Larger files are assessed as a whole. */
const MOST_BYTES = 1024 * 1024;

/** Null if one of them is not text. */
export function hunksOf({ base, ours, theirs }: Versions): FileHunks | null {
  if (base.length + ours.length + theirs.length > 3 * MOST_BYTES) return NO_HUNKS;
  const merge = mergeText(base, ours, theirs);
  if (merge.reason === 'binary') return null;
  const read = lineReader();
  const before = read(base).ids;
  const changes = (after: Uint8Array) => diffLines(before, read(after).ids, matchRarest);
  return {
    ours: changes(ours),
    theirs: changes(theirs),
    conflicts: merge.outcome === 'conflict' ? merge.conflicts.map(({ lines }) => lines) : [],
  };
}
