import type { Hunk } from '../shapes/types.ts';
import { numbered } from './numbered.ts';

export type Line = ReturnType<typeof numbered>[number];
export type Pair = readonly [Line | null, Line | null];

/** Lines that stay face each other; what was removed faces what was added in its place. Pure. */
export function pairsOf(hunk: Hunk): Pair[] {
  const pairs: Pair[] = [];
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
