/** The checksum a row carries: over its key and its values, so that a changed or misplaced row is noticed when read. */
import { crc32 } from 'node:zlib';

/**
 * Protects against damage, not against forgery, so a short sum is enough. The text has a line per part; only the last may
 * contain a newline.
 */
export function seal(text: string): number {
  return crc32(text);
}
