/**
 * The root key as stored: encrypted with the user's key, in the record `keys/store`, the only plain record of an encrypted
 * store. The keys of tasks are encrypted with the root key, so that changing the user's key takes one commit.
 */
import { hash, randomBytes } from 'node:crypto';
import * as z from 'zod';
import { CorruptError, StoreError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { aadOf, derive, KEY_BYTES, NONCE_BYTES, newCipher, open, seal } from './aead.ts';
import type { KeyProvider } from './key-provider.ts';

const FORMAT = 'vibe-engine keys 1';
const base64 = (bytes: number) =>
  z.base64().transform((text, context) => {
    const decoded = Buffer.from(text, 'base64');
    if (decoded.length !== bytes) context.addIssue(phrase`is not ${bytes} bytes`);
    return decoded;
  });
const schema = z.strictObject({
  format: z.literal(FORMAT),
  store: z.string().regex(/^[0-9a-f]{32}$/),
  /** Tells one user's key from another without saying anything about either. */
  locked_with: z.string().regex(/^[0-9a-f]{16}$/),
  salt: base64(16),
  nonce: base64(NONCE_BYTES),
  sealed: base64(KEY_BYTES + 16),
  at: z.iso.datetime(),
});
export type LockedKey = z.infer<typeof schema>;

export interface RootKey {
  readonly store: string;
  readonly secret: Buffer;
}

export function newRootKey(): RootKey {
  return { store: randomBytes(16).toString('hex'), secret: randomBytes(KEY_BYTES) };
}

/** What to store. */
export async function lock(
  root: RootKey,
  provider: KeyProvider,
  now: Date,
): Promise<Record<string, unknown>> {
  const [salt, nonce] = [randomBytes(16), randomBytes(NONCE_BYTES)];
  const key = await keyFrom(provider, root.store, salt);
  const locked_with = printOf(key);
  const sealed = seal(newCipher(lockKey(key), nonce), aad(root.store, locked_with, salt), 0, root.secret);
  const [at, text] = [now.toISOString(), (bytes: Buffer) => bytes.toString('base64')];
  return {
    format: FORMAT,
    store: root.store,
    locked_with,
    at,
    salt: text(salt),
    nonce: text(nonce),
    sealed: text(sealed),
  };
}

export function readLocked(data: unknown): LockedKey {
  const { data: locked, error } = schema.safeParse(data);
  if (locked) return locked;
  throw new CorruptError(phrase`The record of the store’s key is not what was stored.`, {
    data: { where: 'keys/store' },
    cause: error,
    hint: phrase`Restore it from a backup: without it nothing in the store can be read. Nothing was changed.`,
  });
}

export async function unlock(locked: LockedKey, provider: KeyProvider): Promise<RootKey> {
  const { store, salt, nonce, sealed, locked_with } = locked;
  const key = await keyFrom(provider, store, salt);
  const secret =
    printOf(key) === locked_with ? open(lockKey(key), nonce, aad(store, locked_with, salt), sealed) : null;
  if (secret) return { store, secret };
  throw new StoreError('WRONG_KEY', phrase`The key from ${provider.source} does not open this store.`, {
    data: { source: provider.source, given: printOf(key), needed: locked_with },
    hint: phrase`Give the key that the store was encrypted with. Nothing was changed; without that key nobody can read the store.`,
  });
}

async function keyFrom(provider: KeyProvider, store: string, salt: Buffer): Promise<Uint8Array> {
  const key = await provider.key({ store, salt });
  if (key instanceof Uint8Array && key.length === KEY_BYTES) return key;
  throw new StoreError(
    'NO_KEY',
    phrase`${provider.source} does not give a key: a key has ${KEY_BYTES} bytes.`,
    {
      data: { source: provider.source, bytes: key?.length },
      hint: phrase`A key is 32 random bytes; from a terminal: openssl rand -hex 32`,
    },
  );
}

function lockKey(key: Uint8Array): Buffer {
  return derive(key, new Uint8Array(0), 'lock');
}

function printOf(key: Uint8Array): string {
  return hash('sha256', derive(key, new Uint8Array(0), 'print')).slice(0, 16);
}

function aad(store: string, locked_with: string, salt: Buffer): Buffer {
  return aadOf({ store, task: '', kind: 'key', id: `root ${locked_with}` }, salt);
}
