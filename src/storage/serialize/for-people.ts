/** Stored values for people: what JSON lacks stands there as they would write it. Pure. */
import { TAG } from './limits.ts';

/** From the text of a stored value: plain data, with bytes as how many they are. */
export function forPeople(text: string): unknown {
  return JSON.parse(text, (_, value) => untagged(value));
}

function untagged(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, TAG)) return value;
  const { [TAG]: tag, v } = value as { readonly [TAG]: unknown; readonly v?: unknown };
  if (typeof tag !== 'string') return value;
  if (v === undefined) return tag;
  return BYTES.test(tag) ? `<${Buffer.byteLength(String(v), 'base64')} B>` : v;
}

const BYTES = /^(Buffer|ArrayBuffer|DataView|\w+Array)$/;
