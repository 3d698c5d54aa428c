/** How large a value is, without encoding it. */

/** Characters JSON can make of one: `\u0000`. */
const WORST_CHARACTER = 6;
/** More than any number or literal, or the brackets of a container, with what marks it and its comma. */
const WORST_SCALAR = 40;

/**
 * Whether the encoded value may have more than `limit` bytes. `false` is certain; `true` means that only encoding tells,
 * as for anything that is not plain data.
 */
export function mayExceed(value: unknown, limit: number): boolean {
  return remaining(value, limit, 0) < 0;
}

const DEEPEST_LOOK = 8;

function remaining(value: unknown, room: number, depth: number): number {
  if (typeof value === 'string') return room - value.length * WORST_CHARACTER - 3;
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return room - WORST_SCALAR;
  if (typeof value !== 'object' || depth > DEEPEST_LOOK) return -1;
  let left = room - WORST_SCALAR;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left >= 0; index += 1) {
      left = remaining(value[index], left, depth + 1);
    }
    return left;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype) return -1;
  for (const key of Object.keys(value)) {
    if (left < 0) return left;
    left -= key.length * WORST_CHARACTER + 4;
    left = remaining((value as Record<string, unknown>)[key], left, depth + 1);
  }
  return left;
}

/** About how many characters the value holds; exact for text, near enough elsewhere to keep account of memory. */
export function roughSize(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 8;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  let size = 2;
  const parts = value instanceof Map ? [...value].flat() : value instanceof Set ? [...value] : null;
  if (parts || Array.isArray(value)) {
    for (const part of (parts ?? value) as readonly unknown[]) size += roughSize(part) + 1;
    return size;
  }
  for (const key of Object.keys(value)) {
    size += key.length + 4 + roughSize((value as Record<string, unknown>)[key]);
  }
  return size;
}
