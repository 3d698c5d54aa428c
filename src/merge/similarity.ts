/** How alike two files are: the part of the larger one whose lines the other has too. */
import { lineReader } from './lines.ts';

export function textSimilarity(a: Uint8Array, b: Uint8Array): number {
  const larger = Math.max(a.length, b.length);
  if (larger === 0) return 1;
  if (Math.min(a.length, b.length) === 0) return 0;
  const read = lineReader();
  const first = read(a);
  const second = read(b);
  const left = new Map<number, number>();
  for (const id of first.ids) left.set(id, (left.get(id) ?? 0) + 1);
  let shared = 0;
  for (const [line, id] of second.ids.entries()) {
    const count = left.get(id) ?? 0;
    if (count === 0) continue;
    left.set(id, count - 1);
    shared += second.starts[line + 1]! - second.starts[line]!;
  }
  return shared / larger;
}
