/**
 * File paths in text. Words with a slash, or with the ending of a file, are looked at closely. When in doubt a word counts as
 * a path: one too many costs a line, one too few a file.
 */
import { findFileNames, hasFileName, mayNameFile } from './file-names.ts';

interface PathSink {
  path(path: string): void;
  /** URLs are not paths, but are kept, too. */
  link(address: string): void;
}

export function findPaths(text: string, sink: PathSink): void {
  const next = MARKS.map((mark) => text.indexOf(mark));
  for (let at = first(next); at >= 0; at = first(next)) {
    const { start, end, slash } = wordAround(text, at);
    if (end - start <= LONGEST) word(text, start, end, slash, sink);
    for (const [index, mark] of MARKS.entries())
      if (next[index]! >= 0 && next[index]! < end) next[index] = text.indexOf(mark, end);
  }
  findFileNames(text, (name) => sink.path(name));
  if (slashIn(text)) findQuoted(text, sink);
}

/** One of these is in every path. */
const MARKS = ['/', '.', '\\'] as const;

/** The smallest, without those that are not there; -1 if none is. */
function first(places: readonly number[]): number {
  let found = -1;
  for (const place of places) if (place >= 0 && (found < 0 || place < found)) found = place;
  return found;
}

/** A space that is escaped does not end a word. */
function wordAround(text: string, at: number): { start: number; end: number; slash: boolean } {
  let start = at;
  while (start > 0 && !isBoundary(text.charCodeAt(start - 1))) start -= 1;
  let slash = false;
  let end = at;
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    if (isBoundary(code) && !(code === SPACE && text.charCodeAt(end - 1) === BACKSLASH)) break;
    if (code === SLASH || code === BACKSLASH) slash = true;
  }
  return { start, end, slash };
}

const SPACE = 0x20;
const SLASH = 0x2f;
const BACKSLASH = 0x5c;
/** Longer words are data. */
const LONGEST = 1024;

const ASCII_BOUNDARIES = new Uint8Array(128);
for (let code = 0; code <= SPACE; code += 1) ASCII_BOUNDARIES[code] = 1;
for (const character of '"\'`<>|,;!?') ASCII_BOUNDARIES[character.charCodeAt(0)] = 1;

function isBoundary(code: number): boolean {
  if (code < 128) return ASCII_BOUNDARIES[code] === 1;
  if (code === 0xa0 || code === 0x2028 || code === 0x2029) return true;
  // Typographic quotes, and the punctuation of Chinese and Japanese.
  return (code >= 0x2018 && code <= 0x201f) || (code >= 0x3000 && code <= 0x3011) || FULL_WIDTH.has(code);
}

const FULL_WIDTH: ReadonlySet<number> = new Set(
  [...'（），：；！？'].map((character) => character.charCodeAt(0)),
);

function word(text: string, start: number, end: number, slash: boolean, sink: PathSink): void {
  const whole = text.slice(start, end);
  // `</div>` and `<br/>` are no paths.
  if (slash && text[start - 1] === '<' && /^\/?[A-Za-z][\w.-]*\/?$/.test(whole)) return;
  if (!slash && !mayNameFile(whole)) return;
  for (const { kind, value } of judged(whole)) sink[kind](value);
}

interface Found {
  readonly kind: 'path' | 'link';
  readonly value: string;
}

/** A conversation names the same files again and again, and judging a word takes far longer than finding it here. */
const known = new Map<string, readonly Found[]>();
const MOST_KNOWN = 5_000;
const LONGEST_KNOWN = 120;

function judged(word: string): readonly Found[] {
  if (word.length > LONGEST_KNOWN) return judge(word);
  const before = known.get(word);
  if (before) return before;
  if (known.size >= MOST_KNOWN) known.clear();
  // A copy: a part of a text otherwise keeps all of it in memory.
  const copy = Buffer.from(word, 'utf16le').toString('utf16le');
  const found = judge(copy);
  known.set(copy, found);
  return found;
}

function judge(word: string): Found[] {
  const found: Found[] = [];
  for (const part of split(word)) {
    const bare = strip(part);
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(bare)) {
      if (/^file:/i.test(bare)) found.push({ kind: 'path', value: bare.replace(/^file:\/\//i, '') });
      else found.push({ kind: 'link', value: bare });
    } else if (slashIn(bare) ? isPath(bare) : hasFileName(bare)) found.push({ kind: 'path', value: bare });
  }
  return found;
}

/** `[text](a/b)`, `f(a/b)` and `--out=a/b` hold a path; `app/(auth)/[id]/page.tsx` is one. */
function split(word: string): string[] {
  if (!/[([{=]/.test(word)) return [word];
  const parts = word.split(/(?<![/\\.])[([{]|\]\(/).filter((part) => part !== '');
  return parts.flatMap((part) => {
    const equals = part.lastIndexOf('=');
    if (equals < 0) return [part];
    return part.startsWith('-') ? [part.slice(equals + 1)] : [part, part.slice(equals + 1)];
  });
}

/** Without the punctuation around it, what follows a bracket that closes nothing, and `:line:column`. */
function strip(part: string): string {
  const bare = part.replace(/^(?:[:=)\]}]|\.{3}|\*\*(?!\/))+/, '');
  let end = strayBracket(bare);
  while (end > 0 && '.:*…'.includes(bare[end - 1]!)) end -= 1;
  return bare.slice(0, end).replace(/(?::\d+)+$/, '');
}

function strayBracket(text: string): number {
  let open = 0;
  for (let index = 0; index < text.length; index += 1) {
    if ('([{'.includes(text[index]!)) open += 1;
    else if (')]}'.includes(text[index]!)) {
      if (open === 0) return index;
      open -= 1;
    }
  }
  return text.length;
}

function isPath(word: string): boolean {
  if (!/\p{L}|^[~.]*[/\\]\d/u.test(word) || word.startsWith('//') || word.includes('^')) return false;
  if (!word.includes('/')) return WINDOWS.test(word);
  if (MIME.test(word)) return hasFileName(word.slice(word.indexOf('/') + 1));
  const name = word.slice(word.lastIndexOf('/') + 1);
  return !PAIRS.has(word.toLowerCase()) && (hasFileName(name) || !looksRandom(word));
}

/** With a drive, a server or two names at least: `\n` and `\d+` are not. */
const WINDOWS = /^(?:[A-Za-z]:\\|\\\\\w+\\\w|(?:\.{1,2}\\)?[\p{L}\p{N}_.$@-]{2,}\\[\p{L}\p{N}_.$@-]{2,})/u;
const MIME = /^(?:application|audio|font|image|message|model|multipart|text|video)\/[\w.+-]+$/;

/** Words people put a slash between. */
const PAIRS: ReadonlySet<string> = new Set(
  (
    'and/or either/or he/she his/her him/her s/he true/false yes/no on/off in/out up/down start/stop read/write ' +
    'input/output i/o client/server pass/fail success/failure before/after left/right n/a w/o tcp/ip udp/tcp ' +
    'get/set get/post add/remove key/value if/else try/catch and/nor 24/7 km/h mb/s kb/s gb/s req/s ms/op ns/op'
  ).split(' '),
);

const SHORTEST_RANDOM = 16;
const RANDOM_CHANGES = 0.4;

/** Encoded bytes have slashes too; they jump between small letters, capitals and digits as no name does. */
function looksRandom(word: string): boolean {
  if (word.length < SHORTEST_RANDOM) return false;
  let changes = 0;
  let last = 0;
  for (let index = 0; index < word.length; index += 1) {
    const kind = kindOf(word.charCodeAt(index));
    if (kind !== last && kind !== 0 && last !== 0) changes += 1;
    last = kind;
  }
  return changes / word.length > RANDOM_CHANGES;
}

function kindOf(code: number): number {
  if (code >= 0x61 && code <= 0x7a) return 1;
  if (code >= 0x41 && code <= 0x5a) return 2;
  return code >= 0x30 && code <= 0x39 ? 3 : 0;
}

const LONGEST_QUOTED = 260;

/** Paths with spaces are recognised only in quotes. */
function findQuoted(text: string, sink: PathSink): void {
  for (const match of text.matchAll(QUOTED)) {
    const inside = match[2]!;
    if (!inside.includes(' ') || !slashIn(inside)) continue;
    const rooted = /^(?:~|\.{1,2}|[A-Za-z]:)?[/\\]\S/.test(inside);
    if (
      rooted ||
      hasFileName(inside.slice(Math.max(inside.lastIndexOf('/'), inside.lastIndexOf('\\')) + 1))
    ) {
      sink.path(inside);
    }
  }
}

const QUOTED = new RegExp(`(["'\`])([^"'\`\\n]{3,${LONGEST_QUOTED}})\\1`, 'g');

function slashIn(text: string): boolean {
  return text.includes('/') || text.includes('\\');
}
