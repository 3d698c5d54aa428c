/** What changed between two texts, hunk by hunk: with the lines around it, and who changed it where that is known. Pure. */
import { diffLines, type Hunk } from './diff.ts';
import { linesInsideKeys } from './inside-keys.ts';
import { bytesOf, type LineSpan, type Lines, lineReader } from './lines.ts';
import { matchRarest } from './rarest.ts';

export interface TextHunk {
  readonly before: Stretch;
  readonly after: Stretch;
  /** Null where it is not known, or nobody was asked for. */
  readonly by: string | null;
  readonly lines: readonly HunkLine[];
}

/** As diff counts: from 1, and from the line before where there are none. */
export interface Stretch {
  readonly start: number;
  readonly count: number;
}

interface HunkLine {
  readonly kind: 'same' | 'add' | 'remove';
  /** Without its newline. */
  readonly text: string;
  /** Its text begins inside a private key. */
  readonly inside_key?: readonly ['text'];
}

/** Who changed each line; undefined for a line that nobody did. */
export type Authors = readonly (string | null | undefined)[];

interface HunkOptions {
  /** How many lines around a change are shown; default: 3. */
  readonly context?: number;
  /** Who removed the lines of the old text. */
  readonly removed?: Authors;
  /** Who wrote those of the new one. */
  readonly added?: Authors;
}

interface Counts {
  readonly added: number;
  readonly removed: number;
}

const CONTEXT = 3;
/** As far into a file as git looks for a NUL. */
const BINARY_WITHIN = 8_000;

export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, BINARY_WITHIN).includes(0);
}

/** No two of them share a line. One by another author than its neighbour is a hunk of its own, however near. */
export function textHunks(before: Uint8Array, after: Uint8Array, options: HunkOptions = {}): TextHunk[] {
  const { context = CONTEXT, removed = [], added = [] } = options;
  const read = lineReader();
  const [a, b] = [read(before), read(after)];
  const parts = diffLines(a.ids, b.ids, matchRarest).flatMap((hunk) => byAuthor(hunk, removed, added));
  const groups = together(parts, context);
  const isPlain = !hasMixedEndings(a, b);
  const inside = new Map([a, b].map((lines) => [lines, linesInsideKeys(lines)]));
  return groups.map((group, at) => {
    const above = groups[at - 1];
    const below = groups[at + 1];
    const room = gap(above, group, 0);
    // The one above has taken its share first.
    const from = start(group) - Math.min(context, above ? Math.max(0, room - context) : room);
    const to = end(group) + Math.min(context, gap(group, below, a.ids.length));
    const lineOf = (of: Lines, line: number): Omit<HunkLine, 'kind'> => ({
      text: textOf(of, line, isPlain),
      ...(inside.get(of)!(line) ? { inside_key: ['text'] } : {}),
    });
    return hunkOf(group, { from, to }, a, b, lineOf);
  });
}

/** How many lines differ. */
export function countLines(before: Uint8Array, after: Uint8Array): Counts {
  const read = lineReader();
  const [a, b] = [read(before), read(after)];
  const sums = { added: 0, removed: 0 };
  for (const hunk of diffLines(a.ids, b.ids, matchRarest)) {
    sums.added += hunk.after.to - hunk.after.from;
    sums.removed += hunk.before.to - hunk.before.from;
  }
  return sums;
}

interface Part extends Hunk {
  readonly by: string | null;
}
type Group = readonly [Part, ...Part[]];

/** A change that several had a part in, divided among them. */
function byAuthor({ before, after }: Hunk, removed: Authors, added: Authors): Part[] {
  const gone = runs(before, removed);
  const made = runs(after, added);
  const parts: Part[] = [];
  let [from, to] = [before.from, after.from];
  while (gone.length > 0 || made.length > 0) {
    const [left, right] = [gone[0], made[0]];
    const isBoth = left && right && agree(left.by, right.by);
    const isLater = left && made.some((run) => agree(left.by, run.by));
    const takeLeft = isBoth || !right || (left !== undefined && !isLater);
    const takeRight = isBoth || !takeLeft;
    const count = takeLeft ? gone.shift()!.count : 0;
    const fresh = takeRight ? made.shift()!.count : 0;
    const by = (takeLeft ? left!.by : undefined) ?? (takeRight ? right!.by : undefined) ?? null;
    parts.push({ before: { from, to: from + count }, after: { from: to, to: to + fresh }, by });
    from += count;
    to += fresh;
  }
  return parts;
}

interface Run {
  readonly by: string | null | undefined;
  count: number;
}

/** Lines of which nobody is known belong to their neighbours. */
function runs({ from, to }: LineSpan, authors: Authors): Run[] {
  const found: Run[] = [];
  for (let line = from; line < to; line++) {
    const by = authors[line];
    const last = found.at(-1);
    if (!last || !agree(last.by, by)) found.push({ by, count: 1 });
    else found[found.length - 1] = { by: last.by ?? by, count: last.count + 1 };
  }
  return found;
}

function agree(a: Run['by'], b: Run['by']): boolean {
  return a === b || a === undefined || b === undefined;
}

/** Changes whose surroundings meet are shown as one, if they are by the same author. */
function together(parts: readonly Part[], context: number): Group[] {
  const groups: [Part, ...Part[]][] = [];
  for (const part of parts) {
    const last = groups.at(-1);
    const isNear = last && part.before.from - end(last) <= 2 * context;
    if (isNear && last[0].by === part.by) last.push(part);
    else groups.push([part]);
  }
  return groups;
}

const start = (group: Group): number => group[0].before.from;
const end = (group: Group): number => group.at(-1)!.before.to;

/** Lines that are the same between two of them; up to the edge of the file where there is no other. */
function gap(above: Group | undefined, below: Group | undefined, edge: number): number {
  return (below ? start(below) : edge) - (above ? end(above) : edge);
}

function hunkOf(
  group: Group,
  span: LineSpan,
  a: Lines,
  b: Lines,
  lineOf: (of: Lines, line: number) => Omit<HunkLine, 'kind'>,
): TextHunk {
  const lines: HunkLine[] = [];
  const add = (kind: HunkLine['kind'], from: Lines, { from: first, to }: LineSpan): void => {
    for (let line = first; line < to; line++) lines.push({ kind, ...lineOf(from, line) });
  };
  let at = span.from;
  for (const { before, after } of group) {
    add('same', a, { from: at, to: before.from });
    add('remove', a, before);
    add('add', b, after);
    at = before.to;
  }
  add('same', a, { from: at, to: span.to });
  const [first, last] = [group[0], group.at(-1)!];
  const from = span.from + first.after.from - first.before.from;
  const to = span.to + last.after.to - last.before.to;
  return { before: stretch(span), after: stretch({ from, to }), by: first.by, lines };
}

function stretch({ from, to }: LineSpan): Stretch {
  return { start: to > from ? from + 1 : from, count: to - from };
}

function textOf(lines: Lines, line: number, isPlain: boolean): string {
  const text = Buffer.from(bytesOf(lines, { from: line, to: line + 1 })).toString();
  return isPlain ? text.replace(/\r?\n$/, '') : text.replace(/\n$/, '');
}

/** Then the endings are shown: they may be all that changed. */
function hasMixedEndings(a: Lines, b: Lines): boolean {
  const kinds = [a, b].map(({ bytes, starts }) => {
    let [plain, returned] = [0, 0];
    for (let line = 1; line < starts.length; line++) {
      const last = starts[line]! - 1;
      if (bytes[last] !== 10) continue;
      if (bytes[last - 1] === 13) returned += 1;
      else plain += 1;
    }
    return { plain, returned };
  });
  return kinds.some(({ plain }) => plain > 0) && kinds.some(({ returned }) => returned > 0);
}
