/**
 * Whether two reservations could mean the same file. A pattern is a path relative to the workspace, where `*` stands for
 * any characters but "/", `?` for one, `[ab]` for one of these, `{a,b}` for either, and `**` for any number of
 * directories. A directory means everything below it.
 */

/** True in doubt: a character class counts as any character, and a pattern that is too long as everything. */
export function overlap(one: string, other: string): boolean {
  if (one.length > MOST_CHARACTERS || other.length > MOST_CHARACTERS) return true;
  const [ones, others] = [alternatives(one), alternatives(other)];
  if (ones.join('').length * others.join('').length > MOST_COMPARED) return true;
  const those = others.map(segmentsOf);
  return ones.map(segmentsOf).some((a) => those.some((b) => meet(a, b)));
}

/** Whether it means every file, as `**` does; in doubt yes. */
export function meansAll(pattern: string): boolean {
  const isAny = (segment: string): boolean =>
    segment.includes('*') && units(segment).every((unit) => unit === null || unit === ANY_NUMBER);
  return (
    pattern.length > MOST_CHARACTERS || alternatives(pattern).some((one) => segmentsOf(one).every(isAny))
  );
}

export function isPattern(path: string): boolean {
  return /[*?[\]{}]/.test(path);
}

/** As long as a path can be. */
const MOST_CHARACTERS = 4_096;
/** More than needed in practice: each pair of braces doubles what there is to compare. */
const MOST_BRACES = 32;
const MOST_ALTERNATIVES = 256;
const MOST_COMPARED = 4_000_000;

type Segments = readonly string[];

function segmentsOf(path: string): Segments {
  return path.split('/').filter((segment) => segment !== '');
}

/** `a{b,c}d` as `abd` and `acd`, from the innermost braces out; with too many, everything with the same start. */
function alternatives(pattern: string): string[] {
  const braces = pattern.split('{').length - 1;
  let found = [pattern];
  for (let left = braces; left > 0; left--) {
    found = found.flatMap(choicesIn);
    if (braces > MOST_BRACES || found.length > MOST_ALTERNATIVES)
      return [`${pattern.slice(0, pattern.indexOf('{'))}*/**`];
  }
  return found;
}

function choicesIn(pattern: string): string[] {
  const braces = /\{([^{}]*)\}/.exec(pattern);
  if (!braces) return [pattern];
  const [whole, inside] = braces as unknown as [string, string];
  const before = pattern.slice(0, braces.index);
  const after = pattern.slice(braces.index + whole.length);
  return inside.split(',').map((choice) => before + choice + after);
}

/** A path that has ended means everything below it. */
function meet(a: Segments, b: Segments): boolean {
  const known = new Map<string, boolean>();
  const from = (i: number, j: number): boolean => {
    if (i === a.length || j === b.length) return true;
    const at = `${i},${j}`;
    const answered = known.get(at);
    if (answered !== undefined) return answered;
    const answer =
      a[i] === '**'
        ? from(i + 1, j) || from(i, j + 1)
        : b[j] === '**'
          ? from(i, j + 1) || from(i + 1, j)
          : segmentsMeet(units(a[i]!), units(b[j]!)) && from(i + 1, j + 1);
    known.set(at, answer);
    return answer;
  };
  return from(0, 0);
}

/** A character, or `null` for any one; `*` for any number of any. */
type Unit = string | null;

const ANY_NUMBER = '*';

function units(segment: string): Unit[] {
  const found = segment.match(/\[[^\]]*\]|[\s\S]/gu) ?? [];
  return found.map((unit) => (unit === '?' || (unit.length > 1 && unit.startsWith('[')) ? null : unit));
}

function segmentsMeet(a: readonly Unit[], b: readonly Unit[]): boolean {
  // Whether the ends of `a` from each place meet the rest of `b`, one unit of `b` at a time from its end.
  let ends = a.map((_, i) => a.slice(i).every((unit) => unit === ANY_NUMBER)).concat(true);
  for (const unit of b.toReversed()) {
    const next: boolean[] = Array(a.length + 1).fill(false);
    for (let i = a.length; i >= 0; i--) {
      const mine = a[i];
      if (unit === ANY_NUMBER) next[i] = ends[i]! || (i < a.length && next[i + 1]!);
      else if (mine === ANY_NUMBER) next[i] = ends[i]! || next[i + 1]!;
      else if (i < a.length) next[i] = (mine === null || unit === null || mine === unit) && ends[i + 1]!;
    }
    ends = next;
  }
  return ends[0]!;
}
