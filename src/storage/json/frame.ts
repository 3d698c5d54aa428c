/**
 * One commit as one line of a log: `{sum} {number} {length} {meta}\t{record}…\t{entry}…\n`. The sum covers the line and
 * the sum of the line before it. Everything is JSON text, which holds no raw tab, newline or NUL, so a line can be found
 * from either end and a block the disk never wrote (zeros) cannot be mistaken for content.
 */
import { hash } from 'node:crypto';
import { z } from 'zod';
import type { Position } from '../contract.ts';

export interface Frame {
  /** Numbers grow by one; a record's revision is the number of the frame that wrote it. */
  readonly number: number;
  readonly sum: string;
  readonly meta: FrameMeta;
  /** The encoded records that were written (not the removed ones), then the encoded entries. */
  readonly texts: readonly string[];
}

export const frameMetaSchema = z.strictObject({
  /** When, ISO 8601. */
  at: z.string(),
  /** The fence of the claim it was written under; 0 without a claim. */
  f: z.int().nonnegative(),
  /** Where the journal ends after this frame. */
  s: z.int().nonnegative(),
  h: z.string().regex(/^[0-9a-f]{64}$/),
  /** The hashes of the entries here, when there is more than one. */
  hs: z.array(z.string()).optional(),
  /** How many entries. */
  e: z.int().nonnegative().optional(),
  /** The records: category, key, 0 when removed or 1 when written; copied ones also with the revision and time they had. */
  r: z
    .array(
      z.union([
        z.tuple([z.string(), z.string(), z.literal([0, 1])]),
        z.tuple([z.string(), z.string(), z.literal(1), z.int().positive(), z.string()]),
      ]),
    )
    .optional(),
  /** All ranges of entries that are cut, from and to. */
  g: z.array(z.tuple([z.int(), z.int()])).optional(),
});
export type FrameMeta = z.infer<typeof frameMetaSchema>;

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
): { line: string; sum: string } {
  const body = [JSON.stringify(meta), ...texts].join('\t');
  const sum = sumOf(previousSum, number, body);
  return { line: `${sum} ${number} ${Buffer.byteLength(body)} ${body}\n`, sum };
}

/** A line without its newline; null when it is not a whole, intact frame that follows `previousSum`. */
export function decodeFrame(line: string, previousSum: string): Frame | null {
  const head = headOf(line);
  if (!head) return null;
  const body = line.slice(head.bodyAt);
  if (Buffer.byteLength(body) !== head.length || sumOf(previousSum, head.number, body) !== head.sum)
    return null;
  const [first, ...texts] = body.split('\t');
  const meta = parseMeta(first!, texts.length);
  return meta && { number: head.number, sum: head.sum, meta, texts };
}

/** The sum a line claims to have, unverified; null when it does not look like a frame. */
export function headOf(line: string): { sum: string; number: number; length: number; bodyAt: number } | null {
  const match = /^([0-9a-f]{64}) (\d{1,15}) (\d{1,12}) (?=\{)/.exec(line);
  if (!match) return null;
  return { sum: match[1]!, number: Number(match[2]), length: Number(match[3]), bodyAt: match[0].length };
}

/** The entries of a frame, with their places in the journal. */
export function entriesOf(frame: Frame): FrameEntry[] {
  const { s, h, hs, e = 0 } = frame.meta;
  const texts = frame.texts.slice(frame.texts.length - e);
  if (e === 1) return [{ seq: s, hash: h, text: texts[0]! }];
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

/** The sum says the bytes are as written; this says that what was written makes sense. */
function parseMeta(text: string, texts: number): FrameMeta | null {
  try {
    const parsed = frameMetaSchema.safeParse(JSON.parse(text));
    if (!parsed.success) return null;
    const { e = 0, hs, r = [] } = parsed.data;
    const written = r.filter((record) => record[2] === 1).length;
    return e + written <= texts && (e < 2 || hs?.length === e) ? parsed.data : null;
  } catch {
    return null;
  }
}

function sumOf(previousSum: string, number: number, body: string): string {
  return hash('sha256', `${previousSum}:${number}:${body}`);
}
