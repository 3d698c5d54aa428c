/** The patterns of one .gitignore file, with git's own meaning; a test holds them against `git check-ignore`. */
import { type Glob, matches, type Part } from './glob.ts';

export interface IgnorePatterns {
  /** Whether the last pattern that matches says ignored (true) or not ignored (false); null when none matches. */
  decide(path: string, isDirectory: boolean): boolean | null;
}

interface Pattern {
  readonly ignores: boolean;
  readonly directoriesOnly: boolean;
  /** Without a slash in it a pattern is about names, wherever they are. */
  readonly namesOnly: boolean;
  readonly fits: (text: string) => boolean;
}

/** The same few files are asked for with every snapshot, and a long one takes as long as the rest of it. */
const parsed = new Map<string, IgnorePatterns>();
const MOST_PARSED = 64;

/** Paths given to it are relative to the file's directory. */
export function parseIgnoreFile(text: string, options: { foldCase?: boolean } = {}): IgnorePatterns {
  const flags = options.foldCase ? 'is' : 's';
  const key = `${flags} ${text}`;
  const known = parsed.get(key) ?? parse(text, flags);
  parsed.delete(key);
  parsed.set(key, known); // The one that was asked for last goes last.
  if (parsed.size > MOST_PARSED) parsed.delete(parsed.keys().next().value!);
  return known;
}

function parse(text: string, flags: string): IgnorePatterns {
  const patterns = text
    .replace(/^\ufeff/, '')
    .split('\n')
    .map((line) => parseLine(line.replace(/\r$/, ''), flags))
    .filter((pattern) => pattern !== null)
    .reverse();
  return {
    decide(path, isDirectory) {
      const name = path.slice(path.lastIndexOf('/') + 1);
      for (const { ignores, directoriesOnly, namesOnly, fits } of patterns) {
        if (directoriesOnly && !isDirectory) continue;
        if (fits(namesOnly ? name : path)) return ignores;
      }
      return null;
    },
  };
}

function parseLine(line: string, flags: string): Pattern | null {
  if (line === '' || line.startsWith('#')) return null;
  let body = withoutTrailingSpaces(line);
  const ignores = !body.startsWith('!');
  if (!ignores) body = body.slice(1);
  const directoriesOnly = body.endsWith('/');
  if (directoriesOnly) body = body.slice(0, -1);
  const namesOnly = !body.includes('/');
  if (body.startsWith('/')) body = body.slice(1);
  const glob = body === '' ? null : toGlob(body, flags);
  return glob && { ignores, directoriesOnly, namesOnly, fits: matcherOf(glob, flags) };
}

/** Spaces at the end do not count, unless a backslash stands before one. */
function withoutTrailingSpaces(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === ' ' && !isEscaped(line, end - 1)) end--;
  return line.slice(0, end);
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === '\\') backslashes++;
  return backslashes % 2 === 1;
}

interface Read {
  readonly parts: Glob;
  /** The same as a regular expression. */
  readonly source: string;
}

/** Regular expressions are faster, and safe with a single star. */
function matcherOf({ parts, source }: Read, flags: string): (text: string) => boolean {
  if (parts.filter(({ kind }) => kind !== 'one').length > 1) return (text) => matches(parts, text);
  const expression = new RegExp(`^${source}$`, flags);
  return (text) => expression.test(text);
}

/** Null for what matches nothing: a bracket that is not closed, a backslash at the end. */
function toGlob(pattern: string, flags: string): Read | null {
  const parts: Part[] = [];
  let source = '';
  const one = (text: string): void => {
    const expression = new RegExp(`^(?:${text})$`, flags);
    parts.push({ kind: 'one', passes: (char) => expression.test(char) });
    source += text;
  };
  const many = (slashes: boolean): void => {
    const before = parts.at(-1);
    // Consecutive stars are the same as one.
    if (before?.kind === 'many' && before.slashes === slashes) return;
    parts.push({ kind: 'many', slashes });
    source += slashes ? '.*' : '[^/]*';
  };
  // Git compares what comes before the first wildcard by itself, and what is left then counts as a start.
  const plain = pattern.search(/[*?[\\]/);
  for (let at = 0; at < pattern.length; ) {
    const char = pattern[at]!;
    if (char === '*') {
      const end = at + /^\*+/.exec(pattern.slice(at))![0].length;
      const starts = at === plain || pattern[at - 1] === '/';
      if (end - at > 1 && starts && pattern[end] === '/') {
        parts.push({ kind: 'directories' });
        source += '(?:.*/)?';
        at = end + 1;
      } else {
        const ends = end === pattern.length || pattern.startsWith('\\/', end);
        many(end - at > 1 && starts && ends);
        at = end;
      }
    } else if (char === '?') {
      one('[^/]');
      at++;
    } else if (char === '[') {
      const bracket = toClass(pattern, at);
      if (!bracket) return null;
      one(bracket.source);
      at = bracket.end;
    } else {
      if (char === '\\') at++;
      if (at >= pattern.length) return null;
      one(literal(pattern[at]!));
      at++;
    }
  }
  return { parts, source };
}

const CLASSES: Readonly<Record<string, string>> = {
  alnum: 'a-zA-Z0-9',
  alpha: 'a-zA-Z',
  blank: ' \\t',
  cntrl: '\\x00-\\x1f\\x7f',
  digit: '0-9',
  graph: '\\x21-\\x7e',
  lower: 'a-z',
  print: '\\x20-\\x7e',
  punct: '!-\\/:-@\\[-`{-~',
  space: ' \\t-\\r',
  upper: 'A-Z',
  xdigit: '0-9a-fA-F',
};

/** `[a-z]`, `[!a]`, `[[:alpha:]]`; a slash is matched by none of them. */
function toClass(pattern: string, start: number): { source: string; end: number } | null {
  let at = start + 1;
  const negated = pattern[at] === '!' || pattern[at] === '^';
  if (negated) at++;
  let members = '';
  for (let first = true; first || pattern[at] !== ']'; first = false) {
    if (at >= pattern.length) return null;
    const named = /^\[:([a-z]*):\]/.exec(pattern.slice(at));
    if (named) {
      const known = CLASSES[named[1]!];
      if (known === undefined) return null;
      members += known;
      at += named[0].length;
      continue;
    }
    const low = takeMember(pattern, at);
    if (!low) return null;
    at = low.end;
    if (pattern[at] !== '-' || pattern[at + 1] === ']' || at + 1 >= pattern.length) {
      members += member(low.char);
      continue;
    }
    const high = takeMember(pattern, at + 1);
    if (!high) return null;
    at = high.end;
    // Where a range runs backwards, git has matched its first member before it notices.
    members += member(low.char);
    if (low.char <= high.char) members += `-${member(high.char)}`;
  }
  const source = negated ? `(?!/)[^${members}]` : members === '' ? '(?!)' : `(?!/)[${members}]`;
  return { source, end: at + 1 };
}

function takeMember(pattern: string, at: number): { char: string; end: number } | null {
  const escaped = pattern[at] === '\\' ? 1 : 0;
  const char = pattern[at + escaped];
  return char === undefined ? null : { char, end: at + escaped + 1 };
}

function member(char: string): string {
  return /[\\\]^[-]/.test(char) ? `\\${char}` : char;
}

function literal(char: string): string {
  return /[.*+?^${}()|[\]\\/]/.test(char) ? `\\${char}` : char;
}
