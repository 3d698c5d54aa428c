/** A stored value as plain JSON: what JSON lacks as the stores write it. */
import { encode } from '../../storage/serialize.ts';

export function plain(value: unknown): unknown {
  return value === undefined ? null : JSON.parse(encode(value));
}
