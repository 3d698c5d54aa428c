/**
 * One commit as one line of a log: `{number} {length} {meta}\t{record}…\t{entry}… {sum}\n`. The sum covers the line and the
 * sum that ends the line before it. Everything is JSON text, which holds no raw tab, newline or NUL, so a line can be
 * found from either end and a block the disk never wrote (zeros) cannot be mistaken for content.
 */
import { hash } from 'node:crypto';
import { jsonIn } from '../../../system/json.ts';
import type { NamedBlob } from '../../backend.ts';
import type { Position } from '../../contract.ts';
import { isBlobId, isRecordName } from '../../keys.ts';
import { entryFrame, entryLine, isAt } from './entry-line.ts';

export const SUM_LENGTH = 64;

export interface Frame {
  /** Numbers grow by one; a record's revision is the number of the frame that wrote it. */
  readonly number: number;
  readonly sum: string;
  readonly meta: FrameMeta;
  /** The encoded records that were written (not the removed ones), then the encoded entries. */
  readonly texts: readonly string[];
}

export interface FrameMeta {
  /** When, ISO 8601. */
  at: string;
  /** The fence of the claim it was written under; 0 without a claim. */
  f: number;
  /** Where the journal ends after this frame. */
  s: number;
  h: string;
  /** The hashes of the entries here, when there is more than one. */
  hs?: string[];
  /** How many entries. */
  e?: number;
  /** The records: category, key, 0 when removed or 1 when written; copied ones also with the revision and time they had. */
  r?: (readonly [string, string, 0 | 1] | readonly [string, string, 1, number, string])[];
  /** All ranges of entries that are cut, from and to. */
  g?: [number, number][];
  /** The blobs that it brought along; their bytes, as base64, stand between the records and the entries. */
  b?: string[];
}

export interface FrameEntry extends Position {
  readonly text: string;
}

export interface FrameRecord {
  readonly category: string;
  readonly key: string;
  readonly revision: number;
  readonly updated_at: string;
  /** The encoded data; null when removed. */
  readonly text: string | null;
}

export function encodeFrame(
  number: number,
  previousSum: string,
  meta: FrameMeta,
  texts: readonly string[],
): { line: Buffer; sum: string } {
  let body = JSON.stringify(meta);
  for (const text of texts) body += `\t${text}`;
  body += ' ';
  const size = Buffer.byteLength(body);
  const head = `${previousSum}\n${number} ${size - 1} `;
  // The sum before it, then the line: what is hashed is one piece, and most of it is what is written.
  const sumAt = head.length + size;
  const bytes = Buffer.allocUnsafe(sumAt + SUM_LENGTH + 1);
  bytes.write(head, 0, 'latin1');
  bytes.write(body, head.length, 'utf8');
  const sum = hash('sha256', bytes.subarray(0, sumAt));
  bytes.write(`${sum}\n`, sumAt, 'latin1');
  return { line: bytes.subarray(previousSum.length + 1), sum };
}

/**
 * The line at `start` up to its newline at `end`; null when it is not a whole, intact frame that follows `previousSum`.
 * `behind`: that sum is known to stand right before the line in these bytes.
 */
export function decodeFrame(
  bytes: Buffer,
  start: number,
  end: number,
  previousSum: string,
  behind = false,
): Frame | null {
  const sum = intactSum(bytes, start, end, previousSum, behind);
  return sum === null ? null : frameIn(bytes, start, end, sum);
}

/** The sum of such a line where it is intact and follows `previousSum`; else null. */
export function intactSum(
  bytes: Buffer,
  start: number,
  end: number,
  previousSum: string,
  behind: boolean,
): string | null {
  const sumAt = end - SUM_LENGTH;
  if (sumAt <= start) return null;
  const sum = behind
    ? hash('sha256', bytes.subarray(start - SUM_LENGTH - 1, sumAt))
    : sumOf(bytes, start, sumAt, previousSum);
  return isAt(bytes, sumAt, sum) ? sum : null;
}

/** What an intact line says; null where that makes no sense. */
export function frameIn(bytes: Buffer, start: number, end: number, sum: string): Frame | null {
  const sumAt = end - SUM_LENGTH;
  const line = entryLine(bytes, start, sumAt);
  if (line) return entryFrame(bytes, line, sum);
  const head = headOf(bytes, start);
  if (!head || head.bodyAt + head.length + 1 !== sumAt) return null;
  const [first, ...texts] = bytes.toString('utf8', head.bodyAt, sumAt - 1).split('\t');
  const meta = parseMeta(first!, texts.length);
  return meta && { number: head.number, sum, meta, texts };
}

/** The number and length a line begins with, unverified, and where its body is; null when it does not look like a frame. */
export function headOf(
  bytes: Buffer,
  start: number,
): { number: number; length: number; bodyAt: number } | null {
  const match = /^(\d{1,15}) (\d{1,12}) (?=\{)/.exec(
    bytes.toString('latin1', start, Math.min(start + 40, bytes.length)),
  );
  if (!match) return null;
  return { number: Number(match[1]), length: Number(match[2]), bodyAt: start + match[0].length };
}

/** How long a whole line is, newline included, when it begins with this head. */
export function lineLength(head: { length: number; bodyAt: number }, start: number): number {
  return head.bodyAt - start + head.length + 1 + SUM_LENGTH + 1;
}

/** The sum that ends a line, unverified. */
export function sumAtEnd(bytes: Buffer, end: number): string {
  return bytes.toString('latin1', Math.max(0, end - SUM_LENGTH), end);
}

/** The entries of a frame, with their places in the journal. */
export function entriesOf(frame: Frame): FrameEntry[] {
  const { s, h, hs, e = 0 } = frame.meta;
  if (e === 1) return [{ seq: s, hash: h, text: frame.texts.at(-1)! }];
  const texts = frame.texts.slice(frame.texts.length - e);
  return texts.map((text, i) => ({ seq: s - e + 1 + i, hash: hs![i]!, text }));
}

/** What the frame did to records. */
export function recordsOf(frame: Frame): FrameRecord[] {
  let used = 0;
  return (frame.meta.r ?? []).map(
    ([category, key, written, revision = frame.number, updated_at = frame.meta.at]) => ({
      category,
      key,
      revision,
      updated_at,
      text: written ? frame.texts[used++]! : null,
    }),
  );
}

/** The blobs that the frame brought along. */
export function blobsOf({ meta, texts }: Frame): NamedBlob[] {
  const { b: ids = [], e = 0 } = meta;
  const first = texts.length - e - ids.length;
  return ids.map((id, i) => ({ id, bytes: Buffer.from(texts[first + i]!, 'base64') }));
}

/** The sum says the bytes are as written; this says that what was written makes sense. */
function parseMeta(text: string, texts: number): FrameMeta | null {
  const meta = jsonIn(text);
  if (!isMeta(meta)) return null;
  const { e = 0, hs, r = [], b = [] } = meta;
  let written = b.length;
  for (const record of r) written += record[2];
  return e + written <= texts && (e < 2 || hs?.length === e) ? meta : null;
}

const HASH = /^[0-9a-f]{64}$/;
/** Hand-written for speed: it runs for every line that is read. */
function isMeta(value: unknown): value is FrameMeta {
  if (typeof value !== 'object' || value === null) return false;
  const { at, f, s, h, hs, e, r, g, b, ...others } = value as Partial<FrameMeta>;
  return (
    typeof at === 'string' &&
    isCount(f) &&
    isCount(s) &&
    typeof h === 'string' &&
    HASH.test(h) &&
    (e === undefined || isCount(e)) &&
    (hs === undefined || (Array.isArray(hs) && hs.every((hash) => typeof hash === 'string'))) &&
    (r === undefined || (Array.isArray(r) && r.every(isRecordMeta))) &&
    (g === undefined || (Array.isArray(g) && g.every(isRange))) &&
    (b === undefined || (Array.isArray(b) && b.every(isBlobId))) && // They become part of a path, too.
    Object.keys(others).length === 0
  );
}

function isRecordMeta(record: readonly unknown[]): boolean {
  const [category, key, written, revision, at] = record;
  if (!isRecordName(category, key)) return false; // it becomes part of a path
  if (record.length === 3) return written === 0 || written === 1;
  return record.length === 5 && written === 1 && isCount(revision) && typeof at === 'string';
}

function isRange(range: readonly unknown[]): boolean {
  return Array.isArray(range) && range.length === 2 && range.every(Number.isSafeInteger);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** In a log the sum before a line stands right before it, so both are hashed as one piece where they are in one buffer. */
function sumOf(bytes: Buffer, start: number, end: number, previousSum: string): string {
  const before = start - SUM_LENGTH - 1;
  if (before >= 0 && bytes.toString('latin1', before, start - 1) === previousSum)
    return hash('sha256', bytes.subarray(before, end));
  return hash('sha256', Buffer.concat([Buffer.from(`${previousSum}\n`), bytes.subarray(start, end)]));
}
