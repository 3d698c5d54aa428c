/** The checksum a row carries: over its place and all it says, so that a changed or misplaced row shows when read. */
import { crc32 } from 'node:zlib';

/** Against damage, not against forgers, so a short sum does. Only the last part may contain a newline. */
export function seal(...parts: readonly (string | number)[]): number {
  return crc32(parts.join('\n'));
}
