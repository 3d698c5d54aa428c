/** Going forward along the lines of a file, which is read a block at a time. */
import { isAscii } from 'node:buffer';
import { readInto } from '../../../system/files.ts';
import type * as io from '../../../system/io.ts';

export const FIRST_BLOCK = 4 * 1024;
/** Half of what a processor keeps close: each byte of it is hashed, decoded and parsed in turn. */
export const BLOCK = 64 * 1024;
const NEWLINE = 10;
/** A line is hashed together with the sum and newline before it. */
const SUM_BEFORE = 65;

interface Blocks {
  /** What was read last: the lines that a search has passed are gone, but for the sum that ends the last of them. */
  readonly bytes: Buffer;
  /** The offset in the file of the first of these bytes. */
  readonly first: number;
  /** Where in the bytes the line that begins at this offset in the file ends; reads on until it is there. -1 if it never ends. */
  lineEnd(at: number): number;
  /** A part of the bytes as text. It keeps the text of all of them in memory. */
  text(from: number, to: number): string;
}

export function openBlocks(file: io.OpenFile, start: number): Blocks {
  let room: Buffer = Buffer.allocUnsafe(FIRST_BLOCK);
  let bytes = room.subarray(0, 0);
  let first = start;
  /** All bytes as text, where one is one character; undefined before it was asked for. */
  let whole: string | null | undefined;

  const readOn = (at: number): boolean => {
    const kept = Math.max(first, at - SUM_BEFORE);
    const rest = bytes.subarray(kept - first);
    room = roomToRead(rest, room);
    rest.copy(room);
    const count = readInto(file, room.subarray(rest.length), kept + rest.length);
    bytes = room.subarray(0, rest.length + count);
    first = kept;
    whole = undefined;
    return count > 0;
  };

  return {
    get bytes() {
      return bytes;
    },
    get first() {
      return first;
    },
    lineEnd(at) {
      for (;;) {
        const newline = bytes.indexOf(NEWLINE, at - first);
        if (newline >= 0 || !readOn(at)) return newline;
      }
    },
    text(from, to) {
      if (whole === undefined) whole = isAscii(bytes) ? bytes.toString('latin1') : null;
      return whole?.slice(from, to) ?? bytes.toString('utf8', from, to);
    },
  };
}

/** Four times larger with each block, up to a limit that only a line exceeds that does not fit. */
export function roomToRead(rest: Buffer, room: Buffer): Buffer {
  if (room.length >= BLOCK && rest.length <= room.length / 2) return room;
  return Buffer.allocUnsafe(room.length * 4);
}
