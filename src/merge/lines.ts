/**
 * Files as lines. A line is its bytes up to and including the newline, so that line endings, a missing last newline
 * and text that is not UTF-8 take part in every comparison and come out as they went in.
 */
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

/** Reads files so that their line numbers can be compared with each other. */
export function lineReader(): (bytes: Uint8Array) => Lines {
  const known = new Map<string, number>();
  return (bytes) => {
    const starts = lineStarts(bytes);
    const ids = new Int32Array(starts.length - 1);
    // One character per byte, whatever the encoding.
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
    for (let line = 0; line < ids.length; line++) {
      const content = text.slice(starts[line], starts[line + 1]);
      let id = known.get(content);
      if (id === undefined) {
        id = known.size;
        known.set(content, id);
      }
      ids[line] = id;
    }
    return { bytes, starts, ids };
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

function lineStarts(bytes: Uint8Array): Int32Array {
  const starts = [0];
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) starts.push(at + 1);
  if (starts.at(-1) !== bytes.length) starts.push(bytes.length);
  return Int32Array.from(starts);
}
