/** Arrays as statement parameters, in PostgreSQL's binary form: needs no quoting. */

export function textArray(values: readonly (string | null)[]): Buffer {
  return binaryArray(
    25,
    values.map((value) => (value === null ? null : Buffer.from(value, 'utf8'))),
  );
}

export function byteArray(values: readonly Uint8Array[]): Buffer {
  return binaryArray(17, values);
}

/** Numbers need no quoting, so the readable form does. */
export function numberArray(values: readonly (number | null | undefined)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`;
}

const HEADER = 20;

/** Header: one dimension, whether nulls may occur, the element's type, how many, first index; then length and bytes of each. */
function binaryArray(type: number, values: readonly (Uint8Array | null)[]): Buffer {
  if (values.length === 0) return emptyArray(type);
  const size = values.reduce((sum, value) => sum + 4 + (value?.length ?? 0), HEADER);
  const buffer = Buffer.allocUnsafe(size);
  buffer.writeInt32BE(1, 0);
  buffer.writeInt32BE(1, 4);
  buffer.writeInt32BE(type, 8);
  buffer.writeInt32BE(values.length, 12);
  buffer.writeInt32BE(1, 16);
  let at = HEADER;
  for (const value of values) {
    at = buffer.writeInt32BE(value?.length ?? -1, at);
    if (value) {
      buffer.set(value, at);
      at += value.length;
    }
  }
  return buffer;
}

function emptyArray(type: number): Buffer {
  const buffer = Buffer.alloc(12);
  buffer.writeInt32BE(type, 8);
  return buffer;
}
