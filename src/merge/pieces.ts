/** A merge as a value: text that is settled and conflicts that are not, in the order of the file. */
import { bytesOf, type LineSpan, type Lines } from './lines.ts';
import type { Region, Sides } from './regions.ts';

export type TextPiece = SettledText | TextConflict;

interface SettledText {
  readonly kind: 'settled';
  readonly bytes: Uint8Array;
}

export interface TextConflict {
  readonly kind: 'conflict';
  readonly base: Uint8Array;
  readonly ours: Uint8Array;
  readonly theirs: Uint8Array;
  /** Where the three stand in their files. Between conflicts that were cut out of one region, `base` is that region's. */
  readonly lines: { readonly base: LineSpan; readonly ours: LineSpan; readonly theirs: LineSpan };
  /** The line ending used here; markers use the same. */
  readonly newline: '\n' | '\r\n';
}

export function toPieces(sides: Sides, regions: readonly Region[]): TextPiece[] {
  const pieces: TextPiece[] = [];
  let run: { lines: Lines; from: number; to: number } | undefined;
  const endRun = () => {
    if (run && run.to > run.from) pieces.push({ kind: 'settled', bytes: bytesOf(run.lines, run) });
    run = undefined;
  };
  for (const region of regions) {
    if (region.kind === 'conflict') {
      endRun();
      pieces.push(toConflict(sides, region));
      continue;
    }
    const side = region.kind === 'theirs' ? 'theirs' : 'ours';
    const lines = sides[side];
    if (run?.lines !== lines) endRun();
    run = { lines, from: run?.from ?? region[side].from, to: region[side].to };
  }
  endRun();
  return pieces;
}

function toConflict(sides: Sides, { base, ours, theirs }: Region): TextConflict {
  return {
    kind: 'conflict',
    base: bytesOf(sides.base, base),
    ours: bytesOf(sides.ours, ours),
    theirs: bytesOf(sides.theirs, theirs),
    lines: { base, ours, theirs },
    newline: newlineAt(sides, ours.from, theirs.from),
  };
}

/** CRLF where the base's first line has it, unless the line before the conflict says otherwise on either side. */
function newlineAt(sides: Sides, ours: number, theirs: number): '\n' | '\r\n' {
  if (endingOf(sides.ours, Math.max(0, ours - 1)) === '\n') return '\n';
  if (endingOf(sides.theirs, Math.max(0, theirs - 1)) === '\n') return '\n';
  return endingOf(sides.base, 0) ?? '\n';
}

/** Of a line, or of the one before it where the last line has no ending. */
function endingOf({ bytes, starts }: Lines, line: number): '\n' | '\r\n' | undefined {
  const ended = bytes[starts[line + 1]! - 1] === 10 ? line : line - 1;
  if (ended < 0 || starts.length === 1) return undefined;
  const end = starts[ended + 1]!;
  return end - starts[ended]! > 1 && bytes[end - 2] === 13 ? '\r\n' : '\n';
}
