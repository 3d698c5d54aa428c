/**
 * Whether a version lies in a range: `>=24`, `>2.38 <3`, `^1.2.3`, `~1.2`, `24.x`, `24`, `2.39.5`, `*`; parts separated
 * by spaces must all hold, of alternatives between `||` one. A version marked as early (`24.0.0-rc.1`) comes before the
 * one it leads to.
 */
export function satisfies(version: string, range: string): boolean | 'unreadable' {
  const found = parseVersion(version);
  const alternatives = range.split('||').map(parseComparators);
  if (!found || alternatives.some((comparators) => comparators === null)) return 'unreadable';
  return alternatives.some((comparators) => comparators!.every((holds) => holds(found)));
}

interface Version {
  readonly numbers: readonly number[];
  readonly early: string | null;
}
type Comparator = (version: Version) => boolean;

const VERSION = /^v?(\d+(?:\.\d+)*)(?:-([0-9A-Za-z.-]+))?$/;
const COMPARATOR = /^(>=|<=|>|<|=|\^|~)?v?(\d+(?:\.\d+)*)((?:\.[x*])*)(?:-([0-9A-Za-z.-]+))?$/i;
const FULL = 3;

function parseVersion(text: string): Version | null {
  const match = VERSION.exec(text.trim());
  return match && { numbers: match[1]!.split('.').map(Number), early: match[2] ?? null };
}

function parseComparators(text: string): Comparator[] | null {
  const joined = text.trim().replaceAll(/(>=|<=|>|<|=|\^|~)\s+/g, '$1');
  if (joined === '' || joined === '*' || joined.toLowerCase() === 'x') return [];
  const comparators = joined.split(/\s+/).map(parseComparator);
  return comparators.includes(null) ? null : (comparators as Comparator[]);
}

function parseComparator(text: string): Comparator | null {
  const match = COMPARATOR.exec(text);
  if (!match) return null;
  const [, operator = '=', digits, open, early = null] = match;
  const numbers = digits!.split('.').map(Number);
  const bound: Version = { numbers, early };
  const partial = open !== '' || numbers.length < FULL;
  switch (operator) {
    case '>=':
      return (version) => compare(version, bound) >= 0;
    case '<':
      return (version) => isBelow(version, numbers);
    case '>':
      return partial
        ? (version) => !isBelow(version, bumped(numbers, numbers.length))
        : (version) => compare(version, bound) > 0;
    case '<=':
      return partial
        ? (version) => isBelow(version, bumped(numbers, numbers.length))
        : (version) => compare(version, bound) <= 0;
    case '^':
      return between(bound, bumped(numbers, leadingPart(numbers)));
    case '~':
      return between(bound, bumped(numbers, Math.min(2, numbers.length)));
    default:
      return partial
        ? between(bound, bumped(numbers, numbers.length))
        : (version) => compare(version, bound) === 0;
  }
}

function between(low: Version, high: readonly number[]): Comparator {
  return (version) => compare(version, low) >= 0 && isBelow(version, high);
}

/** An early version of an upper bound is not below it: `24.x` does not mean 25.0.0-rc.1. */
function isBelow({ numbers }: Version, bound: readonly number[]): boolean {
  return compareNumbers(numbers, bound) < 0;
}

/** The first of the next series, counted in so many parts: of 1.2.3 in two parts, 1.3. */
function bumped(numbers: readonly number[], parts: number): number[] {
  return numbers.slice(0, parts).map((number, index) => (index === parts - 1 ? number + 1 : number));
}

/** Up to the first part that is not 0, the one whose change breaks users. */
function leadingPart(numbers: readonly number[]): number {
  const index = numbers.findIndex((number) => number > 0);
  return index < 0 ? numbers.length : index + 1;
}

function compare(a: Version, b: Version): number {
  return compareNumbers(a.numbers, b.numbers) || compareEarly(a.early, b.early);
}

function compareNumbers(a: readonly number[], b: readonly number[]): number {
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function compareEarly(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a.localeCompare(b, 'en', { numeric: true });
}
