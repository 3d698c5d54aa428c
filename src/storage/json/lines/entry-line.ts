/**
 * Lines that hold one entry and no records, which most do. They are read byte by byte: the parser takes several times as long,
 * and a part of the line that is cut out of it as a string keeps all of it in memory.
 */

/** Where in the bytes its parts are. */
interface EntryLine {
  readonly start: number;
  readonly numberEnd: number;
  readonly timeAt: number;
  readonly timeEnd: number;
  readonly fenceEnd: number;
  readonly seqEnd: number;
  readonly hashAt: number;
  readonly textAt: number;
  readonly textEnd: number;
}

/** A frame with one entry. */
interface EntryFrame {
  readonly number: number;
  readonly sum: string;
  readonly meta: { at: string; f: number; s: number; h: string; e: 1 };
  readonly texts: readonly [string];
}

const HASH_LENGTH = 64;
const AT = '{"at":"';
const FENCE = '","f":';
const SEQ = ',"s":';
const HASH = ',"h":"';
const END = '","e":1}\t';

const SPACE = 0x20;
const ZERO = 0x30;

/** Null where the line, whose bytes are known to be as written, holds something else. `sumAt` is where its sum begins. */
export function entryLine(bytes: Buffer, start: number, sumAt: number): EntryLine | null {
  const numberEnd = endOf(DIGIT, bytes, start, start + 15);
  const lengthEnd = endOf(DIGIT, bytes, numberEnd + 1, numberEnd + 13);
  const bodyAt = lengthEnd + 1;
  if (bytes[numberEnd] !== SPACE || bytes[lengthEnd] !== SPACE) return null;
  if (bodyAt + numberAt(bytes, numberEnd + 1, lengthEnd) + 1 !== sumAt) return null;

  const timeAt = bodyAt + AT.length;
  const timeEnd = endOf(PLAIN, bytes, timeAt, sumAt);
  const fenceAt = timeEnd + FENCE.length;
  const fenceEnd = countEnd(bytes, fenceAt);
  const seqAt = fenceEnd + SEQ.length;
  const seqEnd = countEnd(bytes, seqAt);
  const hashAt = seqEnd + HASH.length;
  const hashEnd = endOf(HEX, bytes, hashAt, hashAt + HASH_LENGTH);
  const textAt = hashEnd + END.length;
  if (fenceEnd === fenceAt || seqEnd === seqAt || hashEnd !== hashAt + HASH_LENGTH) return null;
  if (!isAt(bytes, bodyAt, AT) || !isAt(bytes, timeEnd, FENCE) || !isAt(bytes, fenceEnd, SEQ)) return null;
  if (!isAt(bytes, seqEnd, HASH) || !isAt(bytes, hashEnd, END) || textAt >= sumAt) return null;
  return { start, numberEnd, timeAt, timeEnd, fenceEnd, seqEnd, hashAt, textAt, textEnd: sumAt - 1 };
}

export function entryFrame(bytes: Buffer, line: EntryLine, sum: string): EntryFrame {
  const { start, numberEnd, timeAt, timeEnd, fenceEnd, textAt, textEnd } = line;
  return {
    number: numberAt(bytes, start, numberEnd),
    sum,
    meta: {
      at: bytes.toString('latin1', timeAt, timeEnd),
      f: numberAt(bytes, timeEnd + FENCE.length, fenceEnd),
      s: seqOf(bytes, line),
      h: hashOf(bytes, line),
      e: 1,
    },
    texts: [bytes.toString('utf8', textAt, textEnd)],
  };
}

/** The number of the entry. */
export function seqOf(bytes: Buffer, { fenceEnd, seqEnd }: EntryLine): number {
  return numberAt(bytes, fenceEnd + SEQ.length, seqEnd);
}

/** Of the chain at the entry. */
export function hashOf(bytes: Buffer, { hashAt }: EntryLine): string {
  return bytes.toString('latin1', hashAt, hashAt + HASH_LENGTH);
}

/** Whether these ASCII characters stand there. */
export function isAt(bytes: Buffer, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
}

const DIGIT = 1;
const HEX = 2;
/** ASCII that JSON does not escape. */
const PLAIN = 4;
const KINDS = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  const isOf = (pattern: RegExp, kind: number): number => (pattern.test(character) ? kind : 0);
  return isOf(/[0-9]/, DIGIT) | isOf(/[0-9a-f]/, HEX) | isOf(/[ !#-[\]-~]/, PLAIN);
});

/** Where the bytes of a kind end, at most at `most`. */
function endOf(kind: number, bytes: Buffer, from: number, most: number): number {
  let end = from;
  while (end < most && (KINDS[bytes[end]!]! & kind) !== 0) end++;
  return end;
}

/** Of a number as JSON writes it: without zeros in front. */
function countEnd(bytes: Buffer, from: number): number {
  return bytes[from] === ZERO ? from + 1 : endOf(DIGIT, bytes, from, from + 15);
}

function numberAt(bytes: Buffer, from: number, end: number): number {
  let number = 0;
  for (let at = from; at < end; at++) number = number * 10 + bytes[at]! - ZERO;
  return number;
}
