/** Reading a log file in both directions, each frame verified; telling a torn tail from damage. */
import { CorruptError } from '../../../errors.ts';
import { phrase } from '../../../phrase.ts';
import { readInto, readRange } from '../../../system/files.ts';
import * as io from '../../../system/io.ts';
import { jsonIn } from '../../../system/json.ts';
import type { Position } from '../../contract.ts';
import { BLOCK, FIRST_BLOCK, openBlocks, roomToRead } from './blocks.ts';
import { decodeFrame, encodeFrame, type Frame, headOf, lineLength, sumAtEnd } from './frame.ts';

/** From this version on, commits may bring blobs along. A log keeps the version that it began with. */
export const WITH_BLOBS = 2;
export const LOG_VERSION = WITH_BLOBS;
/** The sum before the first line of every log. */
export const NO_SUM: string = '0'.repeat(64);

const SECTOR = 512;
const NEWLINE = 10;

export interface LogFrame {
  readonly frame: Frame;
  readonly start: number;
  readonly end: number;
  readonly previousSum: string;
}

/** The first frame of a log: its own identity, and where numbering and journal stood when it was made. */
interface LogHeader {
  readonly id: string;
  readonly task: string | null;
  readonly number: number;
  readonly position: Position;
  readonly fence: number;
  readonly gaps: readonly (readonly [number, number])[];
  readonly at: string;
}

export function encodeHeader(header: LogHeader): { line: Buffer; sum: string } {
  const { id, task, number, position, fence, gaps, at } = header;
  const meta = { at, f: fence, s: position.seq, h: position.hash, ...gapsMember(gaps) };
  const identity = JSON.stringify({ log: 'vibe-engine', version: LOG_VERSION, id, task });
  return encodeFrame(number, NO_SUM, meta, [identity]);
}

export function gapsMember(gaps: readonly (readonly [number, number])[]): { g?: [number, number][] } {
  return gaps.length === 0 ? {} : { g: gaps.map(([from, to]) => [from, to]) };
}

/** The identity in a log's first frame; null if it is not ours. */
export function identityOf(frame: Frame): { id: string; task: string | null; version: number } | null {
  const found = jsonIn(frame.texts[0] ?? '') as Readonly<Record<string, unknown>> | null | undefined;
  const { log, id, task, version } = found ?? {};
  if (log !== 'vibe-engine' || typeof id !== 'string' || typeof version !== 'number') return null;
  return { id, task: typeof task === 'string' ? task : null, version };
}

/**
 * Frames from `start` up to `end`, oldest first. Ends silently at the end of the file or at a torn tail; throws CORRUPT at
 * damage.
 */
export function* scanForward(
  file: io.OpenFile,
  start: number,
  previousSum: string,
  end: number = Number.MAX_SAFE_INTEGER,
): Generator<LogFrame, void> {
  const blocks = openBlocks(file, start);
  let sum = previousSum;
  let at = start;
  while (at < end) {
    const newline = blocks.lineEnd(at);
    const { bytes, first } = blocks;
    const frame = newline < 0 ? null : decodeFrame(bytes, at - first, newline, sum, at > first);
    if (!frame) break;
    const next = first + newline + 1;
    yield { frame, start: at, end: next, previousSum: sum };
    sum = frame.sum;
    at = next;
  }
  if (at < end) yield* scanTail(file, at, sum, end, blocks.bytes.subarray(at - blocks.first));
}

/** What follows the last good frame: nothing, a torn append, damage, or what another process has written since. */
function* scanTail(
  file: io.OpenFile,
  at: number,
  sum: string,
  end: number,
  seen: Buffer,
): Generator<LogFrame, void> {
  const tail = readRange(file, at, io.stat(file).size);
  if (tail.length === 0) return;
  const newline = tail.indexOf(NEWLINE);
  if (newline >= 0 && decodeFrame(tail, 0, newline, sum)) yield* scanForward(file, at, sum, end);
  // A writer may be in the middle of it: only what stays the same is judged.
  else if (!tail.equals(seen)) yield* scanTail(file, at, sum, end, tail);
  else if (!isTorn(tail, at)) throw damaged(file.path, at);
}

/** Frames before `end`, newest first, each verified against the line before it. `end` must be the end of a frame. */
export function* scanBackward(file: io.OpenFile, end: number): Generator<LogFrame, void> {
  let lineEnd = end;
  let room: Buffer = Buffer.allocUnsafe(FIRST_BLOCK);
  let bytes = room.subarray(room.length); // What of it is filled, up to the end of the line.
  let low = end; // The offset in the file of the first of these bytes.
  while (lineEnd > 0) {
    // The newline that ends this line is its last byte; the one before it ends the previous line, after its sum.
    const newline = bytes.length < 2 ? -1 : bytes.lastIndexOf(NEWLINE, bytes.length - 2);
    if (newline >= NO_SUM.length || low === 0) {
      const start = low + newline + 1;
      const previousSum = start === 0 ? NO_SUM : sumAtEnd(bytes, newline);
      const frame = decodeFrame(bytes, newline + 1, bytes.length - 1, previousSum);
      if (!frame) throw damaged(file.path, start);
      yield { frame, start, end: lineEnd, previousSum };
      bytes = bytes.subarray(0, newline + 1);
      lineEnd = start;
      continue;
    }
    const next = roomToRead(bytes, room);
    bytes.copy(next, next.length - bytes.length);
    const from = Math.max(0, low - next.length + bytes.length);
    const at = next.length - bytes.length - (low - from);
    const count = readInto(file, next.subarray(at, at + low - from), from);
    if (count < low - from) throw damaged(file.path, from + count);
    room = next;
    bytes = room.subarray(at);
    low = from;
  }
}

/** Where the last line ends, whatever lies before it; an append that a crash interrupted is none. */
export function endOfLines(file: io.OpenFile): number {
  const { size } = io.stat(file);
  for (let reach = BLOCK; ; reach *= 4) {
    const from = Math.max(0, size - reach);
    const newline = readRange(file, from, size).lastIndexOf(NEWLINE);
    if (newline >= 0 || from === 0) return from + newline + 1;
  }
}

/**
 * Whether the bytes after the last good frame are no more than the zeros a log is given room with, or an append that a
 * crash interrupted: it never got its whole length, or whole sectors of it were never written and read as zeros.
 * Anything else was once whole and has been damaged since.
 */
function isTorn(room: Buffer, offset: number): boolean {
  const tail = withoutZeros(room);
  const newline = tail.indexOf(NEWLINE);
  if (newline >= 0 && newline !== tail.length - 1) return false; // An append is one line and is synced before the next.
  if (newline < 0) {
    const head = headOf(tail, 0);
    if (!head || tail.length < lineLength(head, 0)) return true;
  }
  return hasUnwrittenSectors(tail, offset);
}

function withoutZeros(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return bytes.subarray(0, end);
}

/** Whether there are zeros, and every run of them begins where the append or a sector begins and ends with a sector. */
function hasUnwrittenSectors(tail: Buffer, offset: number): boolean {
  let at = tail.indexOf(0);
  if (at < 0) return false;
  while (at >= 0) {
    let end = at;
    while (end < tail.length && tail[end] === 0) end++;
    const begins = at === 0 || (offset + at) % SECTOR === 0;
    const ends = end === tail.length || (offset + end) % SECTOR === 0;
    if (!begins || !ends) return false;
    at = tail.indexOf(0, end);
  }
  return true;
}

export function damaged(
  path: string,
  offset: number,
  what = phrase`a record there is not what was written`,
): CorruptError {
  return new CorruptError(phrase`${path} is damaged at byte ${offset}: ${what}.`, {
    data: { path, offset },
    hint: phrase`What lies before the damage still loads. Resuming the task keeps a copy of the file and continues from there; so does vibe-engine doctor --repair.`,
  });
}
