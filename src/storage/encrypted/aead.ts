/** AES-256-GCM with everything that says where the bytes belong as additional data. Nothing is released before the tag holds. */
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const FORMAT = 'vibe-engine sealed 1';
export const KEY_BYTES = 32;
export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;

/** Where sealed bytes belong. Bytes from anywhere else do not open here. */
export interface Place {
  readonly store: string;
  /** Empty for what belongs to no task. */
  readonly task: string;
  readonly kind: 'record' | 'entry' | 'blob' | 'key';
  /** The record's category and key, the entry's number, the blob's id, the task whose key it is. */
  readonly id: string;
}

/** The ciphertext and its tag. */
export function seal(key: Uint8Array, nonce: Uint8Array, aad: Uint8Array, plain: Uint8Array): Buffer {
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(aad);
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Null when it is not what was sealed, with this key, in this place. */
export function open(key: Uint8Array, nonce: Uint8Array, aad: Uint8Array, sealed: Uint8Array): Buffer | null {
  const end = sealed.length - TAG_BYTES;
  if (end < 0) return null;
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
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
  const parts = [FORMAT, store, task, kind, id].map((text) => Buffer.from(text));
  return Buffer.concat([...parts, header].flatMap((part) => [lengthOf(part), part]));
}

export function derive(secret: Uint8Array, salt: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, `${FORMAT} ${purpose}`, KEY_BYTES));
}

function lengthOf(part: Uint8Array): Buffer {
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32BE(part.length);
  return length;
}
