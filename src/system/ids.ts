/** Ids that sort by creation time as text: 48 bits of milliseconds, then 80 random bits, in lower-case base 32. */
import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** A prefix and 26 characters, larger (as text) than every id this process made before. */
export function newId(prefix: string, now: number = Date.now()): string {
  const random = randomBytes(10);
  let bits = (BigInt(now) << 80n) | BigInt(`0x${random.toString('hex')}`);
  if (bits <= last) bits = last + 1n;
  last = bits;
  let text = '';
  for (let i = 0; i < 26; i++) {
    text = ALPHABET[Number(bits & 31n)] + text;
    bits >>= 5n;
  }
  return prefix + text;
}

export function newTaskId(now?: number): string {
  return newId('t', now);
}

let last = 0n;
