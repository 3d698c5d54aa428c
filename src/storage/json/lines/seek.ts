/**
 * Finds a place in a log by a number, without reading what lies before it. Numbers only grow along a log and every line can be
 * found from its ends, so the log is its own index. What a line says before it is verified is only a hint.
 */
import { readRange } from '../../../system/files.ts';
import type * as io from '../../../system/io.ts';
import { decodeFrame, sumAtEnd } from './frame.ts';
import { type LogFrame, NO_SUM } from './log.ts';

/** What is left of a log to search is rather read. */
const NEAR = 32 * 1024;
/** Most lines begin and end within so many bytes. */
const PROBE = 4 * 1024;
const NEWLINE = 10;
/** The beginning of a line up to the number where the journal ends after it. */
const HINT = /^(\d{1,15}) \d{1,12} \{"at":"[^"\\]*","f":\d{1,15},"s":(\d{1,15}),/;
const HINT_LENGTH = 128;
const SUM_AND_NEWLINE = NO_SUM.length + 1;

/** The number of a line, and of the entry that the journal ends with after it. */
interface Numbers {
  readonly number: number;
  readonly seq: number;
}

/**
 * A verified frame that is before the place looked for, close to it; null when there is none or none was found. `end` is the
 * end of a frame.
 */
export function frameBefore(
  file: io.OpenFile,
  end: number,
  isBefore: (numbers: Numbers) => boolean,
): LogFrame | null {
  let low = 0;
  let high = end;
  while (high - low > NEAR) {
    const middle = Math.floor((low + high) / 2);
    const found = lineAfter(file, middle, high);
    if (found && isBefore(found)) low = found.start;
    else high = middle;
  }
  const found = low > 0 ? frameAt(file, low, end) : null;
  return found && isBefore({ number: found.frame.number, seq: found.frame.meta.s }) ? found : null;
}

/** The first line that begins between the two offsets, and what it says; null when there is none. */
function lineAfter(
  file: io.OpenFile,
  offset: number,
  before: number,
): (Numbers & { readonly start: number }) | null {
  for (let at = offset; at < before; at += PROBE) {
    const newline = readRange(file, at, Math.min(at + PROBE, before)).indexOf(NEWLINE);
    if (newline < 0) continue;
    const start = at + newline + 1;
    const hint = HINT.exec(readRange(file, start, start + HINT_LENGTH).toString('latin1'));
    return start < before && hint ? { start, number: Number(hint[1]), seq: Number(hint[2]) } : null;
  }
  return null;
}

/** Verified by the sum before it and its own. */
function frameAt(file: io.OpenFile, start: number, end: number): LogFrame | null {
  for (let size = NEAR; ; size *= 4) {
    const first = start - SUM_AND_NEWLINE;
    const bytes = readRange(file, first, Math.min(start + size, end));
    const newline = bytes.indexOf(NEWLINE, SUM_AND_NEWLINE);
    if (newline < 0 && start + size < end) continue;
    const previousSum = sumAtEnd(bytes, NO_SUM.length);
    const frame = newline < 0 ? null : decodeFrame(bytes, SUM_AND_NEWLINE, newline, previousSum);
    return frame && { frame, start, end: first + newline + 1, previousSum };
  }
}
