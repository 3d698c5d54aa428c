/** Values of the journal in a line, for lists. Pure. */
import { looksLikeReference, readStored } from '../../checkpoint/values/blob-ref.ts';
import { phrase } from '../../phrase.ts';
import { forPeople } from '../../storage/serialize/for-people.ts';
import { encode } from '../../storage/serialize.ts';

const LONGEST = 80;

/** A stored value; null where there is none. */
export function valueOnOneLine(stored: unknown, longest = LONGEST): string | null {
  if (stored === undefined) return null;
  const read = looksLikeReference(stored) ? readStored(stored) : ({ kind: 'value', value: stored } as const);
  if (read.kind === 'blob') return phrase`${read.reference.bytes} bytes in blob://${read.id}`;
  const value = typeof read.value === 'string' ? read.value : forPeople(encode(read.value));
  return onOneLine(typeof value === 'string' ? value : JSON.stringify(value), longest);
}

/** On one line. */
export function onOneLine(text: string, longest = LONGEST): string {
  // Of a long text, no more is looked at than can be shown.
  const start = text.length > 4 * longest ? text.slice(0, 4 * longest) : text;
  const line = start.replace(/\s+/g, ' ').trim();
  return line.length > longest || start === text ? cut(line, longest) : `${line}...`;
}

/** A copy, because a slice keeps the whole text in memory. */
export function cut(text: string, longest: number): string {
  return text.length <= longest ? text : Buffer.from(`${text.slice(0, longest - 3)}...`).toString();
}
