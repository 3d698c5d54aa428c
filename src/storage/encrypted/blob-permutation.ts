/**
 * Names of blobs that only the key can derive, in both directions: a permutation of hashes, four rounds of HMAC. Without the
 * key a name says nothing about the content; with it, a list of names is a list of hashes.
 */
import { createHmac } from 'node:crypto';

const HALF = 16;
const ROUNDS = [0, 1, 2, 3] as const;

export function hiddenName(key: Uint8Array, digest: string): string {
  const bytes = Buffer.from(digest, 'hex');
  let [left, right]: [Buffer, Buffer] = [bytes.subarray(0, HALF), bytes.subarray(HALF)];
  for (const round of ROUNDS) [left, right] = [right, xor(left, mix(key, round, right))];
  return Buffer.concat([left, right]).toString('hex');
}

export function digestBehind(key: Uint8Array, name: string): string {
  const bytes = Buffer.from(name, 'hex');
  let [left, right]: [Buffer, Buffer] = [bytes.subarray(0, HALF), bytes.subarray(HALF)];
  for (const round of ROUNDS.toReversed()) [left, right] = [xor(right, mix(key, round, left)), left];
  return Buffer.concat([left, right]).toString('hex');
}

function mix(key: Uint8Array, round: number, half: Uint8Array): Buffer {
  return createHmac('sha256', key).update(Uint8Array.of(round)).update(half).digest();
}

function xor(a: Buffer, b: Buffer): Buffer {
  return Buffer.from(a.map((byte, i) => byte ^ b[i]!));
}
