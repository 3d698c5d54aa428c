/**
 * Files as lines. A line is its bytes up to and including the newline, so that line endings, a missing last newline
 * and text that is not UTF-8 take part in every comparison and come out as they went in.
 */
import { lineTable } from './line-table.ts';

export interface Lines {
  readonly bytes: Uint8Array;
  /** Where each line begins; one more at the end, for where the last one ends. */
  readonly starts: Int32Array;
  /** One number per line: the same for the same bytes, in all files read by one reader. */
  readonly ids: Int32Array;
}

/** A stretch of lines: `from` counts from 0, `to` is the first line after it. */
export interface LineSpan {
  readonly from: number;
  readonly to: number;
}

const NEWLINE = 10;
/** Another in every process, so that nobody can prepare a file whose lines all have the same hash. */
const SEED = Math.floor(Math.random() * 2 ** 31);

/** Reads files so that their lines can be compared by number. */
export function lineReader(): (bytes: Uint8Array) => Lines {
  const idOf = lineTable();
  return (bytes) => {
    const starts = [0];
    const ids: number[] = [];
    for (let from = 0, to = 0; from < bytes.length; from = to) {
      let hash = SEED;
      do hash = Math.imul(hash ^ bytes[to]!, 0x01000193);
      while (bytes[to++] !== NEWLINE && to < bytes.length);
      ids.push(idOf(bytes, from, to, hash));
      starts.push(to);
    }
    return { bytes, starts: Int32Array.from(starts), ids: Int32Array.from(ids) };
  };
}

export function bytesOf(lines: Lines, span: LineSpan): Uint8Array {
  return lines.bytes.subarray(lines.starts[span.from], lines.starts[span.to]);
}

export function sameLines(a: Lines, from: LineSpan, b: Lines, to: LineSpan): boolean {
  const count = from.to - from.from;
  if (count !== to.to - to.from) return false;
  for (let index = 0; index < count; index++) {
    if (a.ids[from.from + index] !== b.ids[to.from + index]) return false;
  }
  return true;
}
