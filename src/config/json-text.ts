/** Parses JSON and says where it stops being JSON; the messages of `JSON.parse` do not always have a position. */
import { phrase } from '../phrase.ts';

export type JsonResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly line: number; readonly column: number; readonly found: string };

/** Levels that settings may have: far more than they need. */
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
  try {
    return { ok: true, value: JSON.parse(bare) };
  } catch {
    return { ok: false, ...describe(bare, firstError(bare)) };
  }
}

const TOKEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings may not contain them.
  /[ \t\r\n]*(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/y;

/** The offset of the first token that cannot stand where it stands, by the grammar of RFC 8259. */
function firstError(text: string): number {
  const open: ('{' | '[')[] = [];
  let expected: 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'comma or end' = 'value';
  TOKEN.lastIndex = 0;
  for (let at = 0; ; at = TOKEN.lastIndex) {
    const match = TOKEN.exec(text);
    if (!match) return skipSpace(text, at);
    const mark = match[1];
    const isString = match[2] !== undefined;
    const inside = open.at(-1);
    const here = match.index + match[0].length - (match[1] ?? match[2] ?? match[3] ?? '').length;
    if (expected === 'key' || expected === 'key or }') {
      if (isString) expected = 'colon';
      else if (mark === '}' && expected === 'key or }') expected = close(open);
      else return here;
    } else if (expected === 'colon') {
      if (mark !== ':') return here;
      expected = 'value';
    } else if (expected === 'comma or end') {
      if (mark === ',' && inside) expected = inside === '{' ? 'key' : 'value';
      else if (inside && mark === (inside === '{' ? '}' : ']')) expected = close(open);
      else return here;
    } else if (mark === '{' || mark === '[') {
      open.push(mark);
      expected = mark === '{' ? 'key or }' : 'value or ]';
    } else if (mark === ']' && expected === 'value or ]') {
      expected = close(open);
    } else if (mark === undefined) {
      expected = 'comma or end';
    } else {
      return here;
    }
  }
}

function close(open: unknown[]): 'comma or end' {
  open.pop();
  return 'comma or end';
}

function skipSpace(text: string, at: number): number {
  while (/[ \t\r\n]/.test(text.charAt(at))) at++;
  return at;
}

/** What is found where more was to come. */
export const END_OF_TEXT = phrase`the end of the file`;

function describe(text: string, at: number): { line: number; column: number; found: string } {
  const before = text.slice(0, at).split('\n');
  const found =
    at >= text.length
      ? END_OF_TEXT
      : JSON.stringify(
          text
            .slice(at)
            .split(/[\r\n]/)[0]!
            .slice(0, 20),
        );
  return { line: before.length, column: before.at(-1)!.length + 1, found };
}
