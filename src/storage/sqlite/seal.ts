/** The checksum a row carries: over its place and all it says, so that a changed or misplaced row shows when read. */
import { crc32 } from 'node:zlib';

/** Against damage, not against forgers, so a short sum does. The text has a line per part; only the last may contain a newline. */
export function seal(text: string): number {
  return crc32(text);
}
