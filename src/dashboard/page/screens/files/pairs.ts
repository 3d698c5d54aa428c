import { numbered } from '../../kit/numbered.ts';
import type { Hunk } from '../../shapes/types.ts';

export type Line = ReturnType<typeof numbered>[number];

/** Lines that stay face each other; what was removed faces what was added in its place. Pure. */
export function pairsOf(hunk: Hunk): [Line | null, Line | null][] {
  const pairs: [Line | null, Line | null][] = [];
  let removed: Line[] = [];
  let added: Line[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++)
      pairs.push([removed[at] ?? null, added[at] ?? null]);
    removed = [];
    added = [];
  };
  for (const line of numbered(hunk)) {
    if (line.kind === 'remove') removed.push(line);
    else if (line.kind === 'add') added.push(line);
    else {
      flush();
      pairs.push([line, line]);
    }
  }
  flush();
  return pairs;
}
