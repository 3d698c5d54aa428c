/** Setuid and setgid bits are given back to the file that had them, never to a new one. Pure. */
import type { TreeEntry } from '../tree/tree.ts';

const AS_ANOTHER = 0o6000;

/** What may be put where `there` is: with those bits only if it has the same bytes, so that its mode alone is set. */
export function withSafeBits(there: TreeEntry | null, target: TreeEntry | null): TreeEntry | null {
  if (target?.kind !== 'file' || (target.mode & AS_ANOTHER) === 0) return target;
  if (there?.kind === 'file' && there.hash === target.hash) return target;
  return { ...target, mode: target.mode & ~AS_ANOTHER };
}
