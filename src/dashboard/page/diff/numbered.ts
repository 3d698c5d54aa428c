/** Each line of a change with its numbers on both sides. Pure. */
import type { Hunk } from '../shapes/types.ts';

export function numbered(hunk: Hunk) {
  let before = hunk.before.start;
  let after = hunk.after.start;
  return hunk.lines.map(({ kind, text }) => ({
    kind,
    text,
    before: kind === 'add' ? null : before++,
    after: kind === 'remove' ? null : after++,
  }));
}
