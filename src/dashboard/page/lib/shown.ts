/**
 * Text of tasks as it may be shown: characters that turn text around, steer it or cannot be seen are set apart, so that a
 * page can show their numbers. Pure.
 */

type Part = string | { readonly code: string };

/** As the terminal has it; the variation selector is allowed after a sign, line breaks and tabs everywhere. */
const HIDDEN =
  /(?<!\p{Extended_Pictographic})\ufe0f|(?![\ufe0f\n\t])[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const EACH = new RegExp(HIDDEN.source, 'gu');

export function partsOf(text: string): Part[] {
  if (!HIDDEN.test(text)) return [text];
  const parts: Part[] = [];
  let at = 0;
  for (const { 0: found, index } of text.matchAll(EACH)) {
    if (found === '\r' && text[index + 1] === '\n') continue;
    if (index > at) parts.push(text.slice(at, index));
    parts.push({ code: codeOf(found) });
    at = index + found.length;
  }
  if (at < text.length) parts.push(text.slice(at));
  return parts;
}

/** The same as one string, for titles and labels. */
export function plainOf(text: string): string {
  return partsOf(text)
    .map((part) => (typeof part === 'string' ? part : `[${part.code}]`))
    .join('');
}

const codeOf = (character: string): string =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;

/** At most so many characters, in one line. */
export function lineOf(text: string, most = 200): string {
  const line = text
    .slice(0, most * 2)
    .replace(/\s+/g, ' ')
    .trim();
  if (line.length <= most && text.length <= most * 2) return line;
  // Not in the middle of a word or a path, where one ends near.
  return `${line.slice(0, most - 1).replace(/(?<=\S)[\s,;:]+\S{0,32}$/, '')}…`;
}

/** The ids of checkpoints as the command line shows them, in a sentence or alone. */
export function withShortIds(text: string): string {
  return text.replace(/\bckpt-t[0-9a-z]*([0-9a-z]{6})-(\d+)\b/g, '$1-$2');
}

/** What a tool was given: where that is one text, such as a command, the text alone. */
export function givenOf(text: string): string {
  if (!text.startsWith('{')) return text;
  try {
    const [only, ...others] = Object.values(JSON.parse(text) as object);
    return typeof only === 'string' && others.length === 0 ? only : text;
  } catch {
    return text; // It was cut.
  }
}

/** A value in one line: "passed: 41, failed: 0". */
export function briefOf(text: string): string {
  const given = givenOf(text);
  if (!given.startsWith('{')) return given;
  try {
    return Object.entries(JSON.parse(given) as object)
      .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
      .join(', ');
  } catch {
    return given; // It was cut.
  }
}

const LINES = 16;
const CHARACTERS = 2_000;

/** The first lines of a text, and how many more there are. */
export function beginningOf(text: string): { readonly shown: string; readonly more: number } {
  const lines = text.split('\n');
  const shown = lines.slice(0, LINES).join('\n');
  if (shown.length > CHARACTERS)
    return { shown: shown.slice(0, CHARACTERS), more: Math.max(1, lines.length - LINES) };
  return { shown, more: Math.max(0, lines.length - LINES) };
}
