/** AES-256-GCM, with the place where the bytes belong as additional data. Nothing is returned before the tag is verified. */
import {
  type CipherGCM,
  createCipheriv,
  createDecipheriv,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const FORMAT = 'vibe-engine sealed 1';
export const KEY_BYTES = 32;
export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;
const TAG = { authTagLength: TAG_BYTES };

/** For a key that is used often, a KeyObject saves most of the work. */
type Key = Uint8Array | KeyObject;

/** Where sealed bytes belong. Bytes from anywhere else do not open here. */
export interface SealedItem {
  readonly store: string;
  /** Empty for what belongs to no task. */
  readonly task: string;
  readonly kind: 'record' | 'entry' | 'blob' | 'key';
  /** The record's category and key, the entry's number, the blob's id, the task whose key it is. */
  readonly id: string;
}

/** For one message. */
export function newCipher(key: Key, nonce: Uint8Array): CipherGCM {
  return createCipheriv(CIPHER, key, nonce, TAG);
}

/** The header at the end of the additional data, the ciphertext, its tag. */
export function seal(cipher: CipherGCM, aad: Buffer, header: number, plain: Uint8Array | string): Buffer {
  cipher.setAAD(aad);
  const sealed = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain);
  cipher.final(); // Only computes the tag: all ciphertext has been returned.
  const whole = Buffer.allocUnsafe(header + sealed.length + TAG_BYTES);
  aad.copy(whole, 0, aad.length - header);
  whole.set(sealed, header);
  whole.set(cipher.getAuthTag(), header + sealed.length);
  return whole;
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
    return null; // The tag does not fit.
  }
}

/** The additional data of what goes to a place, with room at its end for the header; to be used before the next is made. */
export function newAad({ store, task, kind, id }: SealedItem, header: number): Buffer {
  // Each part with its length before it, so that no two places make the same bytes.
  const place = beginOf(store, task, kind) + part(id);
  const room = 3 * place.length + header;
  if (scratch.length < room) scratch = Buffer.alloc(room);
  return scratch.subarray(0, scratch.write(place) + header);
}

/** Used again and again: a new buffer costs more than what is written to it. */
let scratch = Buffer.alloc(4096);

export function aadOf(place: SealedItem, header: Uint8Array): Buffer {
  const aad = newAad(place, header.length);
  aad.set(header, aad.length - header.length);
  return aad;
}

let begin = { store: '', task: '', kind: '', text: '' };

/** Kept: what is sealed next is mostly of the same task and kind. */
function beginOf(store: string, task: string, kind: string): string {
  if (begin.task !== task || begin.kind !== kind || begin.store !== store)
    begin = { store, task, kind, text: `${FORMAT}${part(store)}${part(task)}${part(kind)}` };
  return begin.text;
}

function part(text: string): string {
  return ` ${Buffer.byteLength(text)}:${text}`;
}

export interface Prepared {
  readonly nonce: Buffer;
  readonly cipher: CipherGCM;
}

/** For one message, with a random nonce. */
export function prepareCipher(key: Key): Prepared {
  const nonce = newNonce();
  return { nonce, cipher: newCipher(key, nonce) };
}

const NONCES_AT_ONCE = 256;
let nonces = Buffer.alloc(0);

/** Many are drawn at once, which is much faster; none is handed out twice. */
function newNonce(): Buffer {
  if (nonces.length === 0) nonces = randomBytes(NONCE_BYTES * NONCES_AT_ONCE);
  const nonce = nonces.subarray(0, NONCE_BYTES);
  nonces = nonces.subarray(NONCE_BYTES);
  return nonce;
}

export function derive(secret: Uint8Array, salt: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, `${FORMAT} ${purpose}`, KEY_BYTES));
}
