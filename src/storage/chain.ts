/** The hash chain that runs through a task's journal: each position's hash covers every entry before it. */
import { hash } from 'node:crypto';
import type { Position } from './contract.ts';

/** Where every journal begins. */
export const START: Position = Object.freeze({ seq: 0, hash: '0'.repeat(64) });

/** The position after one more entry with this encoded text. */
export function next(after: Position, text: string): Position {
  const seq = after.seq + 1;
  return { seq, hash: hash('sha256', `${after.hash}:${seq}:${text}`) };
}

export function samePosition(a: Position, b: Position): boolean {
  return a.seq === b.seq && a.hash === b.hash;
}
