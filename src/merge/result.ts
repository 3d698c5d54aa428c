/** What a merge of text answers, and what becomes of it when conflicts are resolved. */
import { type ConflictMarkers, writeOut } from './markers.ts';
import type { TextConflict, TextPiece } from './pieces.ts';

export interface TextMerge {
  /** `unmergeable`: both sides changed a file that is binary or too large; its one conflict is the whole file. */
  readonly outcome: 'clean' | 'conflict' | 'unmergeable';
  /** Why it is unmergeable. */
  readonly reason?: 'binary' | 'too large';
  /** The merged file, conflicts between markers; ours where it is unmergeable. May share memory with what was given. */
  readonly bytes: Uint8Array;
  readonly conflicts: readonly TextConflict[];
  /** The whole file, settled text and conflicts in order. */
  readonly pieces: readonly TextPiece[];
  readonly markers: ConflictMarkers;
}

/** A side, or the text that takes the conflict's place; undefined leaves it. */
export type Resolution = 'ours' | 'theirs' | 'base' | Uint8Array | undefined;

/** The merge with resolutions in the place of conflicts; clean once none is left. */
export function resolveConflicts(
  merge: TextMerge,
  resolve: (conflict: TextConflict, index: number) => Resolution,
): TextMerge {
  let index = 0;
  const pieces = merge.pieces.map((piece): TextPiece => {
    if (piece.kind === 'settled') return piece;
    const resolution = resolve(piece, index++);
    if (resolution === undefined) return piece;
    return { kind: 'settled', bytes: typeof resolution === 'string' ? piece[resolution] : resolution };
  });
  return toResult(pieces, merge.markers, merge.reason);
}

export function toResult(
  pieces: readonly TextPiece[],
  markers: ConflictMarkers,
  reason?: TextMerge['reason'],
): TextMerge {
  const conflicts = pieces.filter((piece) => piece.kind === 'conflict');
  const shared = { conflicts, pieces, markers };
  if (conflicts.length === 0 || !reason) {
    const outcome = conflicts.length === 0 ? 'clean' : 'conflict';
    return { outcome, bytes: writeOut(pieces, markers), ...shared };
  }
  return { outcome: 'unmergeable', reason, bytes: conflicts[0]!.ours, ...shared };
}
