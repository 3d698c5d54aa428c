/** A page query as a range of names in UTF-8 byte order, which is the order of SQLite's BINARY collation. */
import { InvalidInputError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { PageQuery } from '../contract.ts';

/** Follows every name there is: names have at most 400 bytes, and no character sorts after U+10FFFF. */
const BEYOND = '\u{10ffff}'.repeat(101);
const DEFAULT_LIMIT = 100;

/** Names from `from` (inclusive) to `below` (exclusive). */
export function rangeOf(query: PageQuery): { from: string; below: string; limit: number } {
  const { prefix = '', after, limit = DEFAULT_LIMIT } = query;
  if (!Number.isSafeInteger(limit) || limit < 1) {
    throw new InvalidInputError('USAGE', phrase`limit is not a whole number of at least 1.`, {
      data: { limit },
      hint: phrase`Leave it out for 100.`,
    });
  }
  const below = prefix + BEYOND;
  if (after === undefined) return { from: prefix, below, limit };
  if (query.reverse) return { from: prefix, below: inBytes(after, below) < 0 ? after : below, limit };
  const next = `${after}\0`; // the first name after it
  return { from: inBytes(next, prefix) > 0 ? next : prefix, below, limit };
}

function inBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
