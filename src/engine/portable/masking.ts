/**
 * Masks likely secrets in an exported task: entries, records and blobs, with new checksums where needed. A changed blob gets
 * another name, and references to it follow.
 */

import { openCheckpoint, sealCheckpoint } from '../../checkpoint/record/record.ts';
import { type BlobReference, blobIdOf, readStored } from '../../checkpoint/values/blob-ref.ts';
import { unfitRecord } from '../../checkpoint/values/fit.ts';
import { type LoadBlob, moveOut, unpackText } from '../../checkpoint/values/pack.ts';
import { CorruptError } from '../../errors.ts';
import type { NewBlob } from '../../storage/contract.ts';
import { decode, encode } from '../../storage/serialize.ts';
import { openState, parseState, sealState } from '../../task/state.ts';
import { changeParts } from '../task/layout.ts';
import type { RecordKind } from '../task/records/kind.ts';
import { maskText, referencesIn } from './mask-text.ts';

export interface Masking {
  /** An entry, or any text that is no record. */
  text(encoded: string, load: LoadBlob): Promise<string>;
  /** A record, sealed again. */
  record(kind: RecordKind, data: unknown, load: LoadBlob): Promise<string>;
  /** The exported blob; null if nothing exported refers to it. */
  blob(id: string, bytes: Uint8Array, load: LoadBlob): Promise<NewBlob | null>;
  /** How many different secrets were found. */
  count(): number;
}

export function openMasking(): Masking {
  const secrets = new Set<string>();
  /** By the blob's id: how it was referred to, and how it is now. */
  const known = new Map<string, { readonly old: BlobReference; readonly now: BlobReference }>();

  const text = async (encoded: string, load: LoadBlob): Promise<string> => {
    const now = new Map<string, unknown>();
    for (const reference of referencesIn(encoded))
      now.set(reference.$blob as string, await follow(reference, load));
    return maskText(encoded, {
      found: (secret) => secrets.add(secret),
      reference: (reference) => now.get(reference.$blob as string),
      address: (address) => known.get(blobIdOf(address)!)?.now.$blob ?? address,
    });
  };

  /** How the blob is referred to once it is masked; undefined where there is none. */
  const follow = async (stored: unknown, load: LoadBlob): Promise<BlobReference | undefined> => {
    const read = asBlob(stored);
    if (!read) return undefined;
    const { id, reference: old } = read;
    const before = known.get(id);
    if (before) return before.now;
    const bytes = await load(id);
    if (bytes === null) return undefined;
    const now = (await repack(id, bytes, old, load))?.stored ?? old;
    known.set(id, { old, now: now as BlobReference });
    return now as BlobReference;
  };

  /** Null where it stays as it is. */
  const repack = async (id: string, bytes: Uint8Array, old: BlobReference, load: LoadBlob) => {
    const plain = unpackText(id, bytes, old);
    const masked = await text(plain, load);
    if (masked === plain) return null;
    const limits = {
      blob_over_kb: 0,
      compress_over_kb: old.encoding === 'json' ? Number.POSITIVE_INFINITY : 0,
      compression: old.encoding === 'json+zstd' ? 'zstd' : 'gzip',
    } as const;
    return moveOut(JSON.parse(masked), masked, id.slice(0, id.indexOf('/')), limits);
  };

  const state = async (data: unknown, load: LoadBlob): Promise<unknown> => {
    const plain = encode(openState(data, encode));
    const masked = await text(plain, load);
    return masked === plain ? data : sealState(parseState(decode(masked)), encode);
  };

  /** A damaged checkpoint is masked and stays damaged. */
  const checkpoint = async (data: unknown, load: LoadBlob): Promise<unknown> => {
    try {
      const { checksum: _, ...body } = openCheckpoint(await unfitRecord(data, load));
      const plain = encode(body);
      const masked = await text(plain, load);
      if (masked !== plain) return sealCheckpoint(decode(masked) as typeof body);
    } catch (error) {
      if (!(error instanceof CorruptError)) throw error;
    }
    return decode(await text(encode(data), load));
  };

  return {
    text,
    async record(kind, data, load) {
      if (!kind.change) return text(encode(data), load);
      const parts = {
        state: (one: unknown) => state(one, load),
        checkpoint: (one: unknown) => checkpoint(one, load),
        rest: async (one: unknown) => decode(await text(encode(one), load)),
      };
      return encode(await changeParts(kind, data, parts));
    },
    async blob(id, bytes, load) {
      const kind = id.slice(0, id.indexOf('/'));
      const one = known.get(id);
      if (!one) return null;
      if (one.now === one.old) return { kind, bytes };
      return (await repack(id, bytes, one.old, load))!.blob;
    },
    count: () => countApart(secrets),
  };
}

/** A user's own value may only look like a reference. */
function asBlob(stored: unknown): { id: string; reference: BlobReference } | null {
  try {
    const read = readStored(stored);
    return read.kind === 'blob' ? read : null;
  } catch (error) {
    if (error instanceof CorruptError) return null;
    throw error;
  }
}

/** A token and a part of the same token count as one secret. */
function countApart(secrets: Iterable<string>): number {
  const backwards = [...secrets].map((secret) => [...secret].reverse().join('')).sort();
  let last: string | undefined;
  let count = 0;
  for (const one of backwards) {
    if (last !== undefined && one.startsWith(last)) continue;
    last = one;
    count++;
  }
  return count;
}
