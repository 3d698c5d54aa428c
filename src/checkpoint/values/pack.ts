/**
 * Keeps values small. A value whose encoded text is over `blob_over_kb` is moved to a blob and replaced by a reference; the
 * blob is compressed when the text is over `compress_over_kb` and compressing helps. Equal values make equal bytes, so a
 * blob that is there already is not stored again. `unpackValue` reverses it.
 */
import { hash } from 'node:crypto';
import { gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { CheckpointsConfig } from '../../config/types.ts';
import { CorruptError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { NewBlob } from '../../storage/contract.ts';
import { assertKind } from '../../storage/keys.ts';
import { decode, encode, MAX_TEXT } from '../../storage/serialize.ts';
import {
  type BlobEncoding,
  type BlobReference,
  blobAddress,
  blobIdsIn,
  escapeValue,
  looksLikeReference,
  readStored,
} from './blob-ref.ts';
import { mayExceed } from './rough-size.ts';

export type PackLimits = Pick<CheckpointsConfig, 'blob_over_kb' | 'compress_over_kb' | 'compression'>;

export interface Packed {
  /** What the record contains: the value, or a reference to the blob. */
  readonly stored: unknown;
  /** What must be durable before the record is. */
  readonly blob?: NewBlob;
}

/** How `unpackValue` loads blobs: the bytes, or null when there is no such blob. */
export type LoadBlob = (id: string) => Promise<Uint8Array | null>;

/** No encoded value has more bytes than this, so nothing larger is ever decompressed. */
const MAX_UNPACKED_BYTES: number = 3 * MAX_TEXT;

const KB = 1024;

export function packValue(value: unknown, kind: string, limits: PackLimits): Packed {
  const room = limits.blob_over_kb * KB;
  if (mayExceed(value, room)) {
    const text = encode(value);
    if (Buffer.byteLength(text) > room) return moveOut(value, text, kind, limits);
  }
  return { stored: looksLikeReference(value) ? escapeValue(value) : value };
}

/** The value as a blob and its reference, regardless of its size. */
export function moveOut(value: unknown, text: string, kind: string, limits: PackLimits): Required<Packed> {
  assertKind(kind);
  const plain = Buffer.from(text);
  const { compression, compress_over_kb } = limits;
  const { bytes, encoding } =
    compression !== 'none' && plain.length > compress_over_kb * KB
      ? compress(plain, compression)
      : asIs(plain);
  const reference: BlobReference = {
    $blob: blobAddress(`${kind}/${hash('sha256', bytes)}`),
    bytes: plain.length,
    encoding,
    ...(text.includes('blob://') && blobIdsIn(value).length > 0 ? { nested: true } : {}),
  };
  return { stored: reference, blob: { kind, bytes } };
}

export async function unpackValue(
  stored: unknown,
  load: LoadBlob,
  max_bytes: number = MAX_UNPACKED_BYTES,
): Promise<unknown> {
  const read = readStored(stored);
  if (read.kind === 'value') return read.value;
  const { id, reference } = read;
  const bytes = await load(id);
  if (bytes === null) throw damaged(id, phrase`it is missing`);
  return decode(unpackText(id, bytes, reference, max_bytes));
}

/** The encoded value that a blob holds. */
export function unpackText(
  id: string,
  bytes: Uint8Array,
  reference: BlobReference,
  max_bytes: number = MAX_UNPACKED_BYTES,
): string {
  if (hash('sha256', bytes) !== id.slice(id.indexOf('/') + 1))
    throw damaged(id, phrase`its hash does not match`);
  if (reference.bytes > max_bytes) {
    throw damaged(id, phrase`it is said to hold ${reference.bytes} bytes, and at most ${max_bytes} are read`);
  }
  const plain = decompress(id, bytes, reference);
  if (plain.length !== reference.bytes) {
    throw damaged(id, phrase`it holds ${plain.length} bytes instead of ${reference.bytes}`);
  }
  return plain.toString('utf8');
}

/** Speed over size: it runs while the task waits, and a tenth fewer bytes would cost four times as long. */
const GZIP_LEVEL = 3;
const GZIP_SYSTEM_BYTE = 9;
const UNKNOWN_SYSTEM = 255;

function compress(plain: Buffer, by: 'gzip' | 'zstd'): { bytes: Buffer; encoding: BlobEncoding } {
  const bytes = by === 'zstd' ? zstdCompressSync(plain) : gzip(plain);
  return bytes.length < plain.length ? { bytes, encoding: `json+${by}` } : asIs(plain);
}

function gzip(plain: Buffer): Buffer {
  const bytes = gzipSync(plain, { level: GZIP_LEVEL });
  // The header names the operating system, which would make equal values differ from machine to machine.
  bytes[GZIP_SYSTEM_BYTE] = UNKNOWN_SYSTEM;
  return bytes;
}

function asIs(bytes: Buffer): { bytes: Buffer; encoding: BlobEncoding } {
  return { bytes, encoding: 'json' };
}

function decompress(id: string, bytes: Uint8Array, { encoding, bytes: size }: BlobReference): Buffer {
  if (encoding === 'json') return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // One byte more than it may be, to distinguish an output cut at the limit from one of the right size.
  const options = { maxOutputLength: size + 1 };
  try {
    return encoding === 'json+zstd' ? zstdDecompressSync(bytes, options) : gunzipSync(bytes, options);
  } catch (cause) {
    throw damaged(id, phrase`it does not decompress to ${size} bytes`, cause);
  }
}

function damaged(id: string, why: string, cause?: unknown): CorruptError {
  return new CorruptError(phrase`The blob ${id} cannot be used: ${why}.`, {
    data: { id, why },
    hint: phrase`Restore it from a backup; checkpoints that do not need this blob still load.`,
    ...(cause === undefined ? {} : { cause }),
  });
}
