/**
 * The key of one task, or of everything outside tasks, and what it encrypts.
 *
 * Texts are sealed under keys of the moment: each process derives one with a salt of its own, draws a random nonce for each
 * text, and takes a new salt long before nonces could repeat. So the number of texts under one key is known exactly,
 * whatever other processes do and however often they are killed.
 *
 * Blobs are sealed under a key derived from what is in them. The same content makes the same bytes, and no two contents
 * share a key.
 */
import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { NamedBlob } from '../backend.ts';
import { packSealed, SEALED_OVERHEAD, unpackSealed } from '../blob-names.ts';
import {
  aadOf,
  derive,
  NONCE_BYTES,
  newAad,
  newCipher,
  open,
  type Prepared,
  prepareCipher,
  type SealedItem,
  seal,
  TAG_BYTES,
} from './aead.ts';
import { digestBehind, hiddenName } from './blob-permutation.ts';

/** A small part of what AES-GCM allows with random nonces under one key. */
export const MOST_TEXTS: number = 2 ** 30;
/** Ciphers are prepared in batches: one by one, between other work, takes twice as long. */
const READY_AT_ONCE = 16;
/** How many derived keys of other processes are cached. */
const MOST_KNOWN = 256;

/** A sealed text is stored as JSON text, like any other. */
const PREFIX = '"ve1:';
const END = '"';
const NOT_COMPRESSED = 0;
const ID_BYTES = 4;
const SALT_BYTES = 16;
const PREVIOUS_BYTES = 16;
/** Compression, key, salt, nonce, number, hash before. */
const AT = { key: 1, salt: 5, nonce: 21, seq: 33, previous: 39, text: 55 } as const;

/** The unencrypted header of an encrypted text; changing it makes decryption fail. */
interface Stamp {
  /** Where the task's journal ended after the commit that wrote it. */
  readonly seq: number;
  /** The chain's hash before an entry, as far as it is kept; empty for records. */
  readonly previous: string;
}

interface Opened extends Stamp {
  readonly text: string;
}

export interface DataKey {
  readonly id: string;
  sealText(place: SealedItem, stamp: Stamp, text: string): string;
  /** Null when it is not a text that was sealed under this key in this place. */
  openText(place: SealedItem, sealed: string): Opened | null;
  /** Under its hidden name; `id` is that of its content. */
  sealBlob(place: SealedItem, blob: NamedBlob): NamedBlob;
  openBlob(place: SealedItem, digest: string, bytes: Uint8Array): Uint8Array | null;
  /** The hash of a blob's content as the name it is stored under, and back. */
  hiddenName(digest: string): string;
  digestBehind(name: string): string;
}

/** How many bytes a sealed blob has more than its content. */
export const BLOB_OVERHEAD: number = SEALED_OVERHEAD + 1 + ID_BYTES + NONCE_BYTES + TAG_BYTES;

/** Whether it looks like a text that was sealed, with any key. */
export function isSealed(text: string): boolean {
  return text.startsWith(PREFIX) && text.endsWith(END);
}

/** The part of a position's hash that an entry keeps. */
export function previousOf(hash: string): string {
  return hash.slice(0, 2 * PREVIOUS_BYTES);
}

export function createDataKey(
  id: string,
  secret: Uint8Array,
  { most_texts = MOST_TEXTS }: { readonly most_texts?: number } = {},
): DataKey {
  const idBytes = Buffer.from(id, 'hex');
  // Most keys are used for one thing only.
  const blobs = once(() => derive(secret, new Uint8Array(0), 'blobs'));
  const names = once(() => derive(secret, new Uint8Array(0), 'names'));
  const known = new Map<string, KeyObject>();
  let own: Moment | undefined;

  const textKey = (salt: Buffer): KeyObject => createSecretKey(derive(secret, salt, 'texts'));
  const ownMoment = (): Moment => {
    if (own && own.used < most_texts) return own;
    const salt = randomBytes(SALT_BYTES);
    const begin = Buffer.concat([Uint8Array.of(NOT_COMPRESSED), idBytes, salt]);
    own = { begin, salt, key: textKey(salt), used: 0, ready: [] };
    return own;
  };
  const nextCipher = (moment: Moment): Prepared => {
    moment.used += 1;
    const { key, ready } = moment;
    // Most keys seal one text only.
    if (ready.length === 0 && moment.used > 1)
      for (let n = 0; n < READY_AT_ONCE; n++) ready.push(prepareCipher(key));
    return ready.pop() ?? prepareCipher(key);
  };

  const keyFor = (salt: Buffer): KeyObject => {
    if (own && salt.equals(own.salt)) return own.key;
    const name = salt.toString('latin1');
    const found = known.get(name);
    if (found) return found;
    if (known.size >= MOST_KNOWN) known.delete(known.keys().next().value!);
    const key = textKey(salt);
    known.set(name, key);
    return key;
  };

  const blobKey = (place: SealedItem, digest: string) =>
    createHmac('sha256', blobs()).update(`${place.task}\n${place.id}\n${digest}`).digest();

  return {
    id,
    sealText(place, { seq, previous }, text) {
      const moment = ownMoment();
      const { nonce, cipher } = nextCipher(moment);
      const aad = newAad(place, AT.text);
      const header = aad.length - AT.text;
      aad.set(moment.begin, header);
      aad.set(nonce, header + AT.nonce);
      aad.writeUIntBE(seq, header + AT.seq, 6);
      if (previous === '') aad.fill(0, header + AT.previous);
      else aad.write(previous, header + AT.previous, 'hex');
      const sealed = seal(cipher, aad, AT.text, text);
      return PREFIX + sealed.toString('base64') + END;
    },
    openText(place, sealed) {
      if (!isSealed(sealed)) return null;
      const bytes = Buffer.from(sealed.slice(PREFIX.length, -END.length), 'base64');
      if (bytes.length < AT.text + TAG_BYTES) return null;
      const header = bytes.subarray(0, AT.text);
      if (header[0] !== NOT_COMPRESSED || !idBytes.equals(header.subarray(AT.key, AT.salt))) return null;
      const key = keyFor(header.subarray(AT.salt, AT.nonce));
      const nonce = header.subarray(AT.nonce, AT.seq);
      const plain = open(key, nonce, aadOf(place, header), bytes.subarray(AT.text));
      if (!plain) return null;
      const previous = header.toString('hex', AT.previous, AT.text);
      return { text: plain.toString('utf8'), seq: header.readUIntBE(AT.seq, 6), previous };
    },
    sealBlob(place, { id, bytes }) {
      const slash = id.indexOf('/') + 1;
      const digest = id.slice(slash);
      const name = hiddenName(names(), digest);
      const key = blobKey(place, digest);
      const nonce = createHmac('sha256', key).update('nonce').digest().subarray(0, NONCE_BYTES);
      const header = Buffer.concat([Uint8Array.of(NOT_COMPRESSED), idBytes, nonce]);
      const sealed = seal(newCipher(key, nonce), aadOf(place, header), header.length, bytes);
      return { id: id.slice(0, slash) + name, bytes: packSealed(name, sealed) };
    },
    openBlob(place, digest, bytes) {
      const whole = unpackSealed(hiddenName(names(), digest), bytes);
      const from = 1 + ID_BYTES;
      if (!whole || whole.length < from + NONCE_BYTES + TAG_BYTES) return null;
      const header = whole.subarray(0, from + NONCE_BYTES);
      if (header[0] !== NOT_COMPRESSED || !idBytes.equals(header.subarray(1, from))) return null;
      const nonce = header.subarray(from);
      return open(blobKey(place, digest), nonce, aadOf(place, header), whole.subarray(from + NONCE_BYTES));
    },
    hiddenName: (digest) => hiddenName(names(), digest),
    digestBehind: (name) => digestBehind(names(), name),
  };
}

/** A key of its own for a while. */
interface Moment {
  readonly begin: Buffer;
  readonly salt: Buffer;
  readonly key: KeyObject;
  used: number;
  /** Each for one text; gone with the moment. */
  readonly ready: Prepared[];
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
