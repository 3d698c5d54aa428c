/** A stored value as plain JSON; what JSON lacks is written as in the stores. */
import { encode } from '../../storage/serialize.ts';

export function plain(value: unknown): unknown {
  return value === undefined ? null : JSON.parse(encode(value));
}
