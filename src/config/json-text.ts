/** Parses JSON; errors say at which line and column. */
import { phrase } from '../phrase.ts';

type JsonResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly line: number; readonly column: number; readonly found: string };

/** The deepest nesting allowed in settings: far more than they need. */
export const MAX_DEPTH = 50;

/** Whether a value has more levels than that. */
export function isDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return false;
}

export function parseJson(text: string): JsonResult {
  const bare = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const { value, problem } = tryParse(bare);
  return problem === null ? { ok: true, value } : { ok: false, ...describe(bare, positionOf(problem, bare)) };
}

function tryParse(text: string): { value?: unknown; problem: string | null } {
  try {
    return { value: JSON.parse(text), problem: null };
  } catch (error) {
    return { problem: (error as SyntaxError).message };
  }
}

/**
 * Most of V8's messages contain the position. For an unexpected token they do not, but parsing the text up to that token
 * gives one that does.
 */
function positionOf(problem: string, text: string): number {
  const position = /at position (\d+)/.exec(problem)?.[1];
  if (position !== undefined) return Number(position);
  if (!isToken(problem)) return text.length;
  let [before, after] = [0, text.length];
  while (after - before > 1) {
    const middle = (before + after) >> 1;
    if (isToken(tryParse(text.slice(0, middle)).problem)) after = middle;
    else before = middle;
  }
  return before;
}

function isToken(problem: string | null): boolean {
  return problem?.startsWith('Unexpected token') ?? false;
}

/** What is found where more was expected. */
export const END_OF_TEXT = phrase`the end of the file`;

function describe(text: string, at: number): { line: number; column: number; found: string } {
  const before = text.slice(0, at).split('\n');
  const found = at >= text.length ? END_OF_TEXT : JSON.stringify(/^.[^\r\n]{0,19}/s.exec(text.slice(at))![0]);
  return { line: before.length, column: before.at(-1)!.length + 1, found };
}
