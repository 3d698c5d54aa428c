/** Two changes of one file next to what both began with: A, base, B. Pure. */
import type { Hunk } from '../shapes/types.ts';

/** Lines of the base that either changed, and what each made of them. */
interface Region {
  /** The first line in the base. */
  readonly line: number;
  readonly a: readonly Line[];
  readonly base: readonly Line[];
  readonly b: readonly Line[];
}

export interface Line {
  readonly text: string;
  /** Not in the other two, or not in this one: `same` is what all have. */
  readonly kind: 'same' | 'add' | 'remove';
}

/** Changes whose lines meet in the base are one place. */
export function threeWays(a: readonly Hunk[], b: readonly Hunk[]): Region[] {
  const all = [...a.map((hunk) => ({ hunk, side: 'a' })), ...b.map((hunk) => ({ hunk, side: 'b' }))];
  const groups: { from: number; to: number; hunks: typeof all }[] = [];
  for (const one of all.toSorted((left, right) => startOf(left.hunk) - startOf(right.hunk))) {
    const [from, to] = [startOf(one.hunk), startOf(one.hunk) + one.hunk.before.count];
    const last = groups.at(-1);
    if (last && from <= last.to) {
      last.to = Math.max(last.to, to);
      last.hunks.push(one);
    } else groups.push({ from, to, hunks: [one] });
  }
  return groups.map(({ from, to, hunks }) => {
    const own = (side: string) => hunks.filter((one) => one.side === side).map(({ hunk }) => hunk);
    const base = baseOf(
      hunks.map(({ hunk }) => hunk),
      from,
      to,
    );
    const text = (line: number) => base[line - from] ?? '';
    const sides = { a: sideOf(own('a'), from, to, text), b: sideOf(own('b'), from, to, text) };
    const gone = new Set([...goneIn(own('a')), ...goneIn(own('b'))]);
    return {
      line: from,
      ...sides,
      base: base.map((one, at) => ({ text: one, kind: gone.has(from + at) ? 'remove' : 'same' })),
    };
  });
}

/** As it is counted where a hunk has no line of the base: after the line it names. */
function startOf({ before }: Hunk): number {
  return before.count === 0 ? before.start + 1 : before.start;
}

function baseOf(hunks: readonly Hunk[], from: number, to: number): string[] {
  const lines: string[] = Array.from({ length: to - from }, () => '');
  for (const hunk of hunks) {
    let at = startOf(hunk) - from;
    for (const { kind, text } of hunk.lines) if (kind !== 'add') lines[at++] = text;
  }
  return lines;
}

function goneIn(hunks: readonly Hunk[]): number[] {
  return hunks.flatMap((hunk) => {
    let at = startOf(hunk);
    return hunk.lines.flatMap(({ kind }) => {
      const line = kind === 'add' ? null : at++;
      return kind === 'remove' ? [line!] : [];
    });
  });
}

/** What one side has there: its own hunks, and the base where it has none. */
function sideOf(hunks: readonly Hunk[], from: number, to: number, base: (line: number) => string): Line[] {
  const lines: Line[] = [];
  let at = from;
  const until = (line: number) => {
    for (; at < line; at += 1) lines.push({ text: base(at), kind: 'same' });
  };
  for (const hunk of hunks) {
    until(startOf(hunk));
    for (const { kind, text } of hunk.lines) if (kind !== 'remove') lines.push({ text, kind });
    at = startOf(hunk) + hunk.before.count;
  }
  until(to);
  return lines;
}
