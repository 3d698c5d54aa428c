/**
 * How a stored value refers to a blob: `{ $blob: 'blob://{kind}/{sha256}', bytes, encoding }` replaces the value. A user's
 * own value with a key `$blob` is stored as `{ $blob: null, value }`, so the two are never mistaken.
 */
import { CorruptError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';

export type BlobEncoding = 'json' | 'json+gzip' | 'json+zstd';

export interface BlobReference {
  /** `blob://{kind}/{sha256}`; the hash is that of the stored bytes. */
  readonly $blob: string;
  /** How many bytes the encoded value has, before compression. */
  readonly bytes: number;
  readonly encoding: BlobEncoding;
  /** The value in the blob refers to blobs itself, so a search for needed blobs must look inside. */
  readonly nested?: true;
}

const ADDRESS = /^blob:\/\/([a-z][a-z0-9_]{0,31}\/[0-9a-f]{64})$/;
const ENCODINGS: readonly unknown[] = ['json', 'json+gzip', 'json+zstd'] satisfies BlobEncoding[];

export function blobAddress(id: string): string {
  return `blob://${id}`;
}

/** The id in a `blob://` address, or null when it is none. */
export function blobIdOf(address: string): string | null {
  return ADDRESS.exec(address)?.[1] ?? null;
}

/** Whether the value must be wrapped, since it would be read as a reference. */
export function looksLikeReference(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, '$blob');
}

export function escapeValue(value: unknown): { readonly $blob: null; readonly value: unknown } {
  return { $blob: null, value };
}

type StoredValue =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'blob'; readonly id: string; readonly reference: BlobReference };

/** Reads a stored value. CORRUPT if it is neither a value nor a valid reference. */
export function readStored(stored: unknown): StoredValue {
  if (!looksLikeReference(stored)) return { kind: 'value', value: stored };
  const found = stored as Record<string, unknown>;
  if (found.$blob === null && Object.hasOwn(found, 'value')) return { kind: 'value', value: found.value };
  const { $blob, bytes, encoding } = found;
  const id = typeof $blob === 'string' ? blobIdOf($blob) : null;
  const whole = id !== null && Number.isSafeInteger(bytes) && (bytes as number) >= 0;
  if (!whole || !ENCODINGS.includes(encoding)) {
    throw new CorruptError(phrase`A stored value refers to a blob, but not in a form that can be read.`, {
      data: { $blob, bytes, encoding },
      hint: phrase`It was changed after it was written, or by a newer version: recovery falls back to the checkpoint before it.`,
    });
  }
  return { kind: 'blob', id, reference: found as unknown as BlobReference };
}

/**
 * The ids of the blobs that a stored value refers to, however deep inside it, each once. Every address counts, also one that
 * is only mentioned: keeping too much does no harm. References inside nested blobs: `blobIdsWithin`.
 */
export function blobIdsIn(stored: unknown): string[] {
  const ids = new Set<string>();
  collect(stored, (id) => ids.add(id));
  return [...ids];
}

/** The same, and what those blobs refer to in turn, which takes loading the nested ones. */
export async function blobIdsWithin(
  stored: unknown,
  unpack: (reference: BlobReference) => Promise<unknown>,
): Promise<Set<string>> {
  const ids = new Set<string>();
  const waiting: unknown[] = [stored];
  while (waiting.length > 0) {
    const nested = new Map<string, BlobReference>();
    collect(waiting.pop(), (id, reference) => {
      if (reference?.nested && !ids.has(id)) nested.set(id, reference);
      else if (!nested.has(id)) ids.add(id);
    });
    for (const [id, reference] of nested) {
      ids.add(id);
      waiting.push(await unpack(reference));
    }
  }
  return ids;
}

type Found = (id: string, reference: BlobReference | null) => void;

/** Iterative, so that no stored value is too deep for it. */
function collect(root: unknown, found: Found): void {
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'string') {
      const id = value.startsWith('blob://') ? blobIdOf(value) : null;
      if (id !== null) found(id, null);
    } else if (value instanceof Map) {
      for (const [key, item] of value) waiting.push(key, item);
    } else if (value instanceof Set) {
      for (const item of value) waiting.push(item);
    } else if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
      const reference = asReference(value);
      if (reference) found(reference.id, reference.reference);
      else for (const item of Object.values(value)) waiting.push(item);
    }
  }
}

function asReference(value: object): { id: string; reference: BlobReference } | null {
  if (!looksLikeReference(value)) return null;
  const reference = value as BlobReference;
  const id = typeof reference.$blob === 'string' ? blobIdOf(reference.$blob) : null;
  return id === null ? null : { id, reference };
}
