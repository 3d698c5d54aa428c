/** A user's own rule for what must not be stored, applied to every text inside a value on its way there. */
import { MAX_DEPTH } from '../../storage/serialize.ts';

/** Returns the text as it may be stored. */
export type Redact = (text: string) => string;

/**
 * A copy of the value with every text in it as the rule gives it; parts without any text are the same objects. What is too
 * deep to be stored, such as a value that contains itself, is left as it is: storing it is refused later.
 */
export function redacted(value: unknown, redact: Redact): unknown {
  try {
    return within(value, redact, 0);
  } catch (error) {
    if (error !== TOO_DEEP) throw error;
    return value;
  }
}

const TOO_DEEP = new Error('nested too deeply');

function within(value: unknown, redact: Redact, depth: number): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) throw TOO_DEEP;
  const clean = (item: unknown): unknown => within(item, redact, depth + 1);
  if (Array.isArray(value)) return value.map(clean);
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [clean(key), clean(item)]));
  if (value instanceof Set) return new Set([...value].map(clean));
  const kind = Object.getPrototypeOf(value);
  if (kind !== Object.prototype && kind !== null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, clean(item)]));
}
