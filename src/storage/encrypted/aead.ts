/** AES-256-GCM with everything that says where the bytes belong as additional data. Nothing is released before the tag holds. */
import { createCipheriv, createDecipheriv, hkdfSync, type KeyObject, randomFillSync } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const FORMAT = 'vibe-engine sealed 1';
export const KEY_BYTES = 32;
export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;
const TAG = { authTagLength: TAG_BYTES };

/** Of one that is used often the object saves most of the work. */
export type Key = Uint8Array | KeyObject;

/** Where sealed bytes belong. Bytes from anywhere else do not open here. */
export interface Place {
  readonly store: string;
  /** Empty for what belongs to no task. */
  readonly task: string;
  readonly kind: 'record' | 'entry' | 'blob' | 'key';
  /** The record's category and key, the entry's number, the blob's id, the task whose key it is. */
  readonly id: string;
}

/** What goes before it, the ciphertext, its tag. */
export function seal(
  key: Key,
  nonce: Uint8Array,
  header: Uint8Array,
  aad: Uint8Array,
  plain: Uint8Array,
): Buffer {
  const cipher = createCipheriv(CIPHER, key, nonce, TAG);
  cipher.setAAD(aad);
  const sealed = cipher.update(plain);
  cipher.final(); // Nothing comes of it but the tag: what went in has come out.
  return Buffer.concat([header, sealed, cipher.getAuthTag()], header.length + sealed.length + TAG_BYTES);
}

/** Null when it is not what was sealed, with this key, in this place. */
export function open(key: Key, nonce: Uint8Array, aad: Uint8Array, sealed: Uint8Array): Buffer | null {
  const end = sealed.length - TAG_BYTES;
  if (end < 0) return null;
  const decipher = createDecipheriv(CIPHER, key, nonce, TAG);
  decipher.setAAD(aad);
  decipher.setAuthTag(sealed.subarray(end));
  const plain = decipher.update(sealed.subarray(0, end));
  try {
    return Buffer.concat([plain, decipher.final()]);
  } catch {
    return null;
  }
}

/** Each part with its length before it, so that no two places make the same bytes. */
export function aadOf({ store, task, kind, id }: Place, header: Uint8Array): Buffer {
  const texts = [FORMAT, store, task, kind, id];
  const lengths = texts.map((text) => Buffer.byteLength(text));
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + 4 + length, 4 + header.length));
  let at = 0;
  for (const [i, text] of texts.entries()) {
    at = bytes.writeUInt32BE(lengths[i]!, at);
    at += bytes.write(text, at);
  }
  bytes.set(header, bytes.writeUInt32BE(header.length, at));
  return bytes;
}

const nonces = Buffer.allocUnsafe(NONCE_BYTES * 256);
let drawn = nonces.length;

/** Random, and never handed out twice. Many are drawn at once, which is much faster. */
export function newNonce(): Buffer {
  if (drawn === nonces.length) {
    randomFillSync(nonces);
    drawn = 0;
  }
  drawn += NONCE_BYTES;
  return Buffer.from(nonces.subarray(drawn - NONCE_BYTES, drawn));
}

export function derive(secret: Uint8Array, salt: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, `${FORMAT} ${purpose}`, KEY_BYTES));
}
