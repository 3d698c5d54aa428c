/** The hash chain that runs through a task's journal: each position's hash covers every entry before it. */
import { hash } from 'node:crypto';
import type { Position } from './contract.ts';

/** Where every journal begins. */
export const START: Position = Object.freeze({ seq: 0, hash: '0'.repeat(64) });

/** The position after one more entry with this encoded text. */
export function next(after: Position, text: string): Position {
  const seq = after.seq + 1;
  return { seq, hash: chainHash(seq, after.hash, text) };
}

/** The chain's hash at the entry with this number and text, after the hash before it. */
export function chainHash(seq: number, after: string, text: string): string {
  const before = `${after}:${seq}:`;
  if (text.length > LONGEST) return hash('sha256', before + text);
  // Joined as bytes, which leaves no garbage: a journal is hashed whenever it is read.
  const head = joined.write(before);
  const size = head + joined.write(text, head);
  return hash('sha256', joined.subarray(0, size));
}

const joined = Buffer.alloc(1 << 15);
/** In characters, of up to three bytes each, with room for what comes before them. */
const LONGEST = 10_000;

export function samePosition(a: Position, b: Position): boolean {
  return a.seq === b.seq && a.hash === b.hash;
}
