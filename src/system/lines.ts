/** Files of lines that another program appends to: a last line without its end is still being written, or was torn by a crash. */
import { openIfExists, readRange } from './files.ts';
import * as io from './io.ts';

const BLOCK = 64 * 1024;
const NEWLINE = 0x0a;

/** The whole lines, newest first, in blocks from the end: what is not asked for is not read. None if there is no such file. */
export function* linesFromEnd(path: string): Generator<string> {
  const file = openIfExists(path);
  if (!file) return;
  try {
    let start = io.stat(file).size;
    /** The beginning of a line whose end was read, in parts. */
    let rest: Buffer[] = [];
    let torn = true;
    while (start > 0) {
      const end = start;
      start = Math.max(0, end - BLOCK);
      const block = readRange(file, start, end);
      let to = block.length;
      for (
        let at = block.lastIndexOf(NEWLINE);
        at >= 0;
        at = at === 0 ? -1 : block.lastIndexOf(NEWLINE, at - 1)
      ) {
        const line = Buffer.concat([block.subarray(at + 1, to), ...rest]);
        rest = [];
        to = at;
        if (!torn && line.length > 0) yield line.toString('utf8');
        torn = false;
      }
      rest = [block.subarray(0, to), ...rest];
    }
    const first = Buffer.concat(rest);
    if (!torn && first.length > 0) yield first.toString('utf8');
  } finally {
    io.close(file);
  }
}

/** The whole lines, oldest first; null if there is no such file. */
export function wholeLines(path: string): string[] | null {
  const file = openIfExists(path);
  if (!file) return null;
  try {
    const text = readRange(file, 0, io.stat(file).size).toString('utf8');
    return text
      .slice(0, text.lastIndexOf('\n') + 1)
      .split('\n')
      .filter((line) => line !== '');
  } finally {
    io.close(file);
  }
}
