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

/** The additional data of what goes to a place, and the header at its end, which is still to be written. */
export function newAad({ store, task, kind, id }: Place, header: number): { aad: Buffer; header: Buffer } {
  // Each part with its length before it, so that no two places make the same bytes.
  const place = `${FORMAT}${part(store)}${part(task)}${part(kind)}${part(id)}`;
  const length = Buffer.byteLength(place);
  const aad = Buffer.allocUnsafe(length + header);
  aad.write(place);
  return { aad, header: aad.subarray(length) };
}

export function aadOf(place: Place, header: Uint8Array): Buffer {
  const made = newAad(place, header.length);
  made.header.set(header);
  return made.aad;
}

function part(text: string): string {
  return ` ${Buffer.byteLength(text)}:${text}`;
}

const nonces = Buffer.allocUnsafe(NONCE_BYTES * 256);
let drawn = nonces.length;

/** A random one, never handed out twice, to where it goes. Many are drawn at once, which is much faster. */
export function putNonce(into: Buffer, at: number): void {
  if (drawn === nonces.length) {
    randomFillSync(nonces);
    drawn = 0;
  }
  nonces.copy(into, at, drawn, drawn + NONCE_BYTES);
  drawn += NONCE_BYTES;
}

export function derive(secret: Uint8Array, salt: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, `${FORMAT} ${purpose}`, KEY_BYTES));
}
