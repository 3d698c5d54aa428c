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

/** Reads files so that their lines can be compared by number. */
export function lineReader(): (bytes: Uint8Array) => Lines {
  const known = new Map<string, number>();
  return (bytes) => {
    // One character per byte, whatever the encoding.
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
    const starts = [0];
    const ids: number[] = [];
    for (let from = 0; from < text.length; ) {
      const newline = text.indexOf('\n', from);
      const to = newline === -1 ? text.length : newline + 1;
      const content = text.slice(from, to);
      let id = known.get(content);
      if (id === undefined) {
        id = known.size;
        known.set(content, id);
      }
      ids.push(id);
      starts.push(to);
      from = to;
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
