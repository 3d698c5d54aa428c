/**
 * A record that is still too large after its values were packed moves more of itself into blobs: its largest members first,
 * all of it as one blob if that is not enough. It never fails because of its size. `unfitRecord` reverses it.
 */
import { CorruptError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { NewBlob } from '../../storage/contract.ts';
import { encode } from '../../storage/serialize.ts';
import { escapeValue, looksLikeReference } from './blob-ref.ts';
import { type LoadBlob, moveOut, type PackLimits, unpackValue } from './pack.ts';
import { mayExceed } from './rough-size.ts';

export interface Fitted {
  /** What is stored: the record itself while it is small enough. */
  readonly stored: unknown;
  readonly blobs: readonly NewBlob[];
}

/** The one key of a stored record of which some members are elsewhere. */
const MOVED = '$moved';
const KIND = 'records';

export function fitRecord(
  record: Readonly<Record<string, unknown>>,
  max_bytes: number,
  limits: PackLimits,
): Fitted {
  const ambiguous = looksLikeReference(record) || Object.hasOwn(record, MOVED);
  if (!ambiguous && !mayExceed(record, max_bytes)) return { stored: record, blobs: [] };
  const text = encode(record);
  const size = Buffer.byteLength(text);
  if (size <= max_bytes) return { stored: ambiguous ? escapeValue(record) : record, blobs: [] };
  const fitted = ambiguous ? null : moveMembers(record, size - max_bytes, limits);
  if (fitted) return fitted;
  const { stored, blob } = moveOut(record, text, KIND, limits);
  return { stored, blobs: [blob] };
}

/** More than the size of a reference and the list of moved members. */
const REFERENCE_BYTES = 256;

function moveMembers(
  record: Readonly<Record<string, unknown>>,
  excess: number,
  limits: PackLimits,
): Fitted | null {
  const members = Object.entries(record).map(([key, value]) => {
    const text = encode(value);
    return {
      key,
      value,
      text,
      gain: Buffer.byteLength(text) - Buffer.byteLength(encode(key)) - REFERENCE_BYTES,
    };
  });
  members.sort((a, b) => b.gain - a.gain);
  const moved = new Map<string, unknown>();
  const blobs: NewBlob[] = [];
  let left = excess + REFERENCE_BYTES;
  for (const { key, value, text, gain } of members) {
    if (left <= 0 || gain <= 0) break;
    const { stored, blob } = moveOut(value, text, KIND, limits);
    moved.set(key, stored);
    blobs.push(blob);
    left -= gain;
  }
  if (left > 0) return null;
  // Members keep their order, since the record's checksum covers it.
  const kept = Object.entries(record).map(([key, value]) => [key, moved.has(key) ? moved.get(key) : value]);
  return { stored: { [MOVED]: [...moved.keys()], record: Object.fromEntries(kept) }, blobs };
}

/** The record that was fitted. CORRUPT when a blob of it is missing or wrong. */
export async function unfitRecord(stored: unknown, load: LoadBlob): Promise<unknown> {
  if (looksLikeReference(stored)) return unpackValue(stored, load);
  if (typeof stored !== 'object' || stored === null || !Object.hasOwn(stored, MOVED)) return stored;
  const { [MOVED]: moved, record } = stored as { [MOVED]: unknown; record: unknown };
  if (!Array.isArray(moved) || typeof record !== 'object' || record === null) {
    throw new CorruptError(phrase`A stored record says that members of it are in blobs, but not which.`, {
      data: { moved },
      hint: phrase`Recovery falls back to the checkpoint before it.`,
    });
  }
  const elsewhere = new Set<unknown>(moved);
  const members = Object.entries(record).map(async ([key, value]) => [
    key,
    elsewhere.has(key) ? await unpackValue(value, load) : value,
  ]);
  return Object.fromEntries(await Promise.all(members));
}

/** Whether reading it needs blobs. */
export function isFitted(stored: unknown): boolean {
  return (
    looksLikeReference(stored) ||
    (typeof stored === 'object' && stored !== null && Object.hasOwn(stored, MOVED))
  );
}
