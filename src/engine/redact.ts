/** A user's own rule for what must not be stored, applied to every text inside a value on its way there. */

/** Answers the text as it may be stored. */
export type Redact = (text: string) => string;

/** A copy of the value with every text in it as the rule gives it; parts without any text are the same objects. */
export function redacted(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => redacted(item, redact));
  if (value instanceof Map)
    return new Map([...value].map(([key, item]) => [redacted(key, redact), redacted(item, redact)]));
  if (value instanceof Set) return new Set([...value].map((item) => redacted(item, redact)));
  const kind = Object.getPrototypeOf(value);
  if (kind !== Object.prototype && kind !== null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redacted(item, redact)]));
}
