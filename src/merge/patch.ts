/** What changed between two texts, in the form that people know from diff. Pure. */
import { diffLines, type Hunk } from './diff.ts';
import { bytesOf, type Lines, lineReader } from './lines.ts';
import { matchRarest } from './rarest.ts';

const CONTEXT = 3;

/** Null if one of them is not text. Lines start with a space, `+`, `-` or `@@`. */
export function patchOf(before: Uint8Array, after: Uint8Array): string[] | null {
  if (before.includes(0) || after.includes(0)) return null;
  const read = lineReader();
  const [a, b] = [read(before), read(after)];
  return together(diffLines(a.ids, b.ids, matchRarest)).flatMap((group) => groupLines(group, a, b));
}

/** Hunks whose surroundings meet are shown as one. */
function together(hunks: readonly Hunk[]): Hunk[][] {
  const groups: Hunk[][] = [];
  for (const hunk of hunks) {
    const last = groups.at(-1);
    if (last && hunk.before.from - last.at(-1)!.before.to <= 2 * CONTEXT) last.push(hunk);
    else groups.push([hunk]);
  }
  return groups;
}

function groupLines(group: readonly Hunk[], a: Lines, b: Lines): string[] {
  const [first, last] = [group[0]!, group.at(-1)!];
  const from = Math.max(0, first.before.from - CONTEXT);
  const to = Math.min(a.ids.length, last.before.to + CONTEXT);
  const lines: string[] = [];
  let at = from;
  for (const { before, after } of group) {
    lines.push(...textsOf(a, at, before.from, ' '));
    lines.push(...textsOf(a, before.from, before.to, '-'));
    lines.push(...textsOf(b, after.from, after.to, '+'));
    at = before.to;
  }
  lines.push(...textsOf(a, at, to, ' '));
  const shift = first.after.from - first.before.from;
  const newFrom = from + shift;
  const newTo = to + (last.after.to - last.before.to);
  return [`@@ -${place(from, to)} +${place(newFrom, newTo)} @@`, ...lines];
}

/** As diff counts: from 1, and from the line before where there are none. */
function place(from: number, to: number): string {
  return `${to > from ? from + 1 : from},${to - from}`;
}

function textsOf(lines: Lines, from: number, to: number, mark: string): string[] {
  return Array.from({ length: to - from }, (_, at) => {
    const bytes = bytesOf(lines, { from: from + at, to: from + at + 1 });
    return (
      mark +
      Buffer.from(bytes)
        .toString()
        .replace(/\r?\n$/, '')
    );
  });
}
