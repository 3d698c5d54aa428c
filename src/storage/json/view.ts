/**
 * The readable files. A view is a record as indented JSON, with the store's own bookkeeping in a last member `$store`
 * that ends in a checksum of the whole file; an index says which revision each view of a task must have.
 */

import { createHash, hash } from 'node:crypto';
import { z } from 'zod';
import { CorruptError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { isObject, jsonIn } from '../../system/json.ts';
import { parserOf } from '../../system/parser.ts';

export interface View {
  readonly revision: number;
  readonly updated_at: string;
  /** The record's data, encoded. */
  readonly text: string;
}

const SLOT = '0'.repeat(64);
const TAIL = '"}\n}\n';
const storeSchema = z.strictObject({
  revision: z.int().positive(),
  updated_at: z.string(),
  sha256: z.string(),
});

/** CORRUPT if the text was not written by `encode`: a log from another program can hold anything. */
export function encodeView(view: View): Buffer {
  const pretty = prettyText(view.text);
  const isEmpty = pretty === '{}';
  const own = pretty.slice(0, isEmpty ? -1 : -2);
  const store = `{ "revision": ${view.revision}, "updated_at": ${JSON.stringify(view.updated_at)}, "sha256": "`;
  // The tail closes `$store` with the same two characters that close the file's object.
  const rest = `${isEmpty ? '' : ','}${STORE}${store}${SLOT}${TAIL}`;
  // Joined as bytes: a record may have many megabytes.
  const ownSize = Buffer.byteLength(own);
  const bytes = Buffer.allocUnsafe(ownSize + Buffer.byteLength(rest));
  bytes.write(own);
  bytes.write(rest, ownSize);
  bytes.write(hash('sha256', bytes), slotOf(bytes), 'latin1');
  return bytes;
}

const STORE = '\n  "$store": ';

function slotOf(bytes: Buffer): number {
  return bytes.length - TAIL.length - SLOT.length;
}

function prettyText(text: string): string {
  try {
    const data: unknown = JSON.parse(text);
    const own = isObject(data) && !('$store' in data) && !('$value' in data) ? data : { $value: data };
    return JSON.stringify(own, null, 2);
  } catch (cause) {
    throw new CorruptError(phrase`A record of a log is not JSON, or nested too deeply.`, {
      cause,
      hint: phrase`Another program wrote it. Restore the store from a backup. Nothing was changed.`,
    });
  }
}

/** Null when the bytes are not a whole, intact view. */
export function decodeView(bytes: Buffer): View | null {
  if (!isIntact(bytes)) return null;
  try {
    const { $store, ...data } = JSON.parse(bytes.toString('utf8')) as Record<string, unknown>;
    const store = storeSchema.parse($store);
    const value = '$value' in data ? data.$value : data;
    return { revision: store.revision, updated_at: store.updated_at, text: JSON.stringify(value) };
  } catch {
    return null; // Intact, and not ours.
  }
}

/** The revision alone, for which the record need not be parsed; null as above. */
export function revisionIn(bytes: Buffer): number | null {
  const storeAt = bytes.lastIndexOf(STORE);
  if (storeAt < 0 || !isIntact(bytes)) return null;
  const store = bytes.toString('utf8', storeAt + STORE.length, bytes.length - '\n}\n'.length);
  return storeSchema.safeParse(jsonIn(store)).data?.revision ?? null;
}

function isIntact(bytes: Buffer): boolean {
  const slotAt = slotOf(bytes);
  if (slotAt < 0 || bytes.toString('latin1', slotAt + SLOT.length) !== TAIL) return false;
  const sum = createHash('sha256').update(bytes.subarray(0, slotAt)).update(SLOT).update(TAIL).digest('hex');
  return sum === bytes.toString('latin1', slotAt, slotAt + SLOT.length);
}

const indexSchema = z.strictObject({
  /** The identity of the log it describes. */
  log: z.string(),
  /** Where the newest frame it covers begins and ends, and the sum before it. */
  start: z.int().nonnegative(),
  end: z.int().nonnegative(),
  previous: z.string(),
  /** The revision of every record of the task, by key. */
  records: z.record(z.string(), z.int().positive()),
});
export type ViewIndex = z.infer<typeof indexSchema>;
const parseIndex = parserOf(indexSchema);

export function encodeIndex(index: ViewIndex): Buffer {
  const text = JSON.stringify(index);
  return Buffer.from(`${text}\n${hash('sha256', text)}\n`);
}

/** Null when the bytes are not a whole, intact index. */
export function decodeIndex(bytes: Buffer): ViewIndex | null {
  const [text, sum, end] = bytes.toString('utf8').split('\n');
  if (text === undefined || end !== '' || hash('sha256', text) !== sum) return null;
  const { data } = parseIndex(jsonIn(text));
  return data && data.start <= data.end ? data : null; // or the next line would be written far behind the log
}
