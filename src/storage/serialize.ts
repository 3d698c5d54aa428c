/**
 * Values as text and back. What goes in comes out equal, or is refused before anything is written.
 *
 * - Plain data is plain JSON, on one line. What JSON lacks is an object with the one reserved key `$ve`, which
 *   names the kind: `{"$ve":"date","v":"2026-01-02T03:04:05.678Z"}`. Data that has a key `$ve` of its own is wrapped.
 * - Kept in addition to JSON's own: undefined, -0, NaN, ±Infinity, BigInt, Date, RegExp, URL, Map, Set, ArrayBuffer,
 *   DataView,
 *   every typed array, errors, and instances of registered classes.
 * - Come back a little different: a Buffer as Uint8Array, an object without prototype as a plain one, a value that is
 *   referred to twice as two copies, a typed array without named properties, an error of an unregistered class as the
 *   nearest class of the language with its name and properties kept.
 * - Refused with the path inside the value: functions, symbols, instances of other classes, cycles, holes in arrays,
 *   invalid dates, enumerable symbol keys, properties on arrays, anything that throws when read, more than
 *   MAX_DEPTH levels, more than MAX_TEXT characters.
 * - Objects come back as plain objects; `__proto__` is a key like any other there, an own property that sets nothing.
 */

import { phrase } from '../phrase.ts';
import { MAX_DEPTH, MAX_TEXT, TAG } from './serialize/limits.ts';
import { corrupt, read } from './serialize/read.ts';
import { notSerialisable, Refusal } from './serialize/refusal.ts';
import { write } from './serialize/write.ts';

export { type ClassCodec, registerClass } from './serialize/classes.ts';
export { MAX_DEPTH, MAX_TEXT } from './serialize/limits.ts';

export function encode(value: unknown): string {
  try {
    const text = write(value, 0);
    if (text.length > MAX_TEXT) throw new Refusal('too_large');
    return text;
  } catch (error) {
    throw notSerialisable(error);
  }
}

export function decode(text: string): unknown {
  if (text.length > MAX_TEXT) throw corrupt(phrase`it has more than ${MAX_TEXT} characters`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw corrupt(phrase`it is not JSON`, { cause });
  }
  return text.includes(TAG_END) || mayBeDeep(text) ? read(parsed, 0) : parsed;
}

/** Begins with the rarer character, so that a search for it skips over quotes. */
const TAG_END = `${TAG}"`;

/** Whether the text has brackets enough to nest too deeply: a cheap check that spares most texts the full walk. */
function mayBeDeep(text: string): boolean {
  let count = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      count += 1;
      if (count > MAX_DEPTH) return true;
    }
  }
  return false;
}
