/** A merge written out: settled text as it is, conflicts between git's markers. */
import type { TextPiece } from './pieces.ts';
import type { ConflictStyle } from './style.ts';

export interface ConflictMarkers {
  readonly style: ConflictStyle;
  readonly labels: { readonly ours: string; readonly base: string; readonly theirs: string };
  readonly size: number;
}

export function writeOut(pieces: readonly TextPiece[], { style, labels, size }: ConflictMarkers): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const piece of pieces) {
    if (piece.kind === 'settled') {
      parts.push(piece.bytes);
      continue;
    }
    const marker = (sign: string, label = '') =>
      parts.push(Buffer.from(`${sign.repeat(size)}${label && ' '}${label}${piece.newline}`));
    marker('<', labels.ours);
    parts.push(...wholeLines(piece.ours, piece.newline));
    if (style !== 'merge') {
      marker('|', labels.base);
      parts.push(...wholeLines(piece.base, piece.newline));
    }
    marker('=');
    parts.push(...wholeLines(piece.theirs, piece.newline));
    marker('>', labels.theirs);
  }
  return concat(parts);
}

/** A marker stands on a line of its own, also behind a file's last line without an ending. */
function wholeLines(bytes: Uint8Array, newline: string): Uint8Array[] {
  return bytes.length === 0 || bytes.at(-1) === 10 ? [bytes] : [bytes, Buffer.from(newline)];
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
