/** The checksum a row carries: over its place and all it says, so that a changed or misplaced row shows when read. */
import { hash } from 'node:crypto';

/** Only the last part may contain a newline. */
export function seal(...parts: readonly (string | number)[]): string {
  return hash('sha256', parts.join('\n'));
}
