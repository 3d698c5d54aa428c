/** The name under which a resolution is remembered: the same three hunks, whichever side is called ours, have the same. */
import { createHash } from 'node:crypto';

export function conflictKey(base: Uint8Array, ours: Uint8Array, theirs: Uint8Array): string {
  const sides = [ours, theirs].sort(Buffer.compare);
  const digest = createHash('sha256');
  for (const hunk of [base, ...sides]) digest.update(`${hunk.length}:`).update(hunk);
  return digest.digest('hex');
}
