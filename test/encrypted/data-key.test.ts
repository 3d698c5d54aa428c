/** One key: what it seals opens in its place alone, every bit of it counts, and no nonce comes twice. */
import { hash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SealedItem } from '../../src/storage/encrypted/aead.ts';
import { createDataKey, type DataKey, MOST_TEXTS } from '../../src/storage/encrypted/data-key.ts';

const place: SealedItem = { store: 'a'.repeat(32), task: 't1', kind: 'record', id: 'tasks/t1/state' };
const stamp = { seq: 7, previous: '' };
const newKey = (options = {}): DataKey => createDataKey('01020304', randomBytes(32), options);
const seal = (key: DataKey, text: string): string => key.sealText(place, stamp, text);
const bytesOf = (sealed: string): Buffer => Buffer.from(JSON.parse(sealed).slice('ve1:'.length), 'base64');
const partsOf = (sealed: string) => {
  const bytes = bytesOf(sealed);
  return { salt: bytes.toString('hex', 5, 21), nonce: bytes.toString('hex', 21, 33) };
};

test('any text comes back, from this process or another with the same key', () => {
  const secret = randomBytes(32);
  const [one, other] = [createDataKey('01020304', secret), createDataKey('01020304', secret)];
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.nat(2 ** 40), (text, seq) => {
      const sealed = one.sealText(place, { seq, previous: 'ab'.repeat(16) }, text);
      const opened = { text, seq, previous: 'ab'.repeat(16) };
      expect(one.openText(place, sealed)).toEqual(opened);
      expect(other.openText(place, sealed)).toEqual(opened);
    }),
  );
});

test('every single bit of a sealed text counts', () => {
  const key = newKey();
  const sealed = seal(key, 'a secret');
  const bytes = bytesOf(sealed);
  const textOf = (base64: string): string => `"ve1:${base64}"`;
  expect(textOf(bytes.toString('base64'))).toBe(sealed);
  for (let bit = 0; bit < 8 * bytes.length; bit++) {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3]! ^= 1 << (bit & 7);
    expect(key.openText(place, textOf(flipped.toString('base64')))).toBeNull();
  }
  for (let length = 0; length < bytes.length; length++)
    expect(key.openText(place, textOf(bytes.toString('base64', 0, length)))).toBeNull();
});

test('every single bit of a sealed blob counts', () => {
  const key = newKey();
  const content = randomBytes(40);
  const id = `file/${hash('sha256', content)}`;
  const { bytes } = key.sealBlob({ ...place, kind: 'blob' }, { id, bytes: content });
  const open = (bytes: Uint8Array) =>
    key.openBlob({ ...place, kind: 'blob' }, hash('sha256', content), bytes);
  expect(open(bytes)).toEqual(content);
  for (let bit = 0; bit < 8 * bytes.length; bit++) {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3]! ^= 1 << (bit & 7);
    expect(open(flipped)).toBeNull();
  }
});

test('nothing opens in another place, or under another key', () => {
  const key = newKey();
  const sealed = seal(key, 'a secret');
  const others: Partial<SealedItem>[] = [
    { store: 'b'.repeat(32) },
    { task: 't2' },
    { kind: 'entry' },
    { id: 'tasks/t1/head' },
    { task: 't1tasks', id: '/t1/state' },
  ];
  for (const other of others) expect(key.openText({ ...place, ...other }, sealed)).toBeNull();
  expect(newKey().openText(place, sealed)).toBeNull();
});

test('no nonce comes twice under one key, and a key is given up before it could', () => {
  const key = newKey({ most_texts: 100 });
  const perSalt = new Map<string, Set<string>>();
  for (let n = 0; n < 1000; n++) {
    const { salt, nonce } = partsOf(seal(key, 'the same'));
    const nonces = perSalt.get(salt) ?? new Set();
    expect(nonces.has(nonce)).toBe(false);
    perSalt.set(salt, nonces.add(nonce));
  }
  expect([...perSalt.values()].map(({ size }) => size)).toEqual(Array(10).fill(100));
  expect(MOST_TEXTS).toBeLessThanOrEqual(2 ** 32);
});

test('names of blobs are a permutation: told both ways with the key, and only with it', () => {
  const [key, other] = [newKey(), newKey()];
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
      const digest = Buffer.from(bytes).toString('hex');
      const name = key.hiddenName(digest);
      expect(name).toMatch(/^[0-9a-f]{64}$/);
      expect(key.digestBehind(name)).toBe(digest);
      expect(name).not.toBe(digest);
      expect(other.hiddenName(digest)).not.toBe(name);
    }),
  );
});
