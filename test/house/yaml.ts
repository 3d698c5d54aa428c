/**
 * Reads the plain part of YAML that workflows are written in: maps and lists by indentation, `[a, b]`, quoted and bare words.
 * Whatever else there is, is refused: what it reads, every reader of YAML reads the same way.
 */

export type Yaml = string | null | readonly Yaml[] | { readonly [key: string]: Yaml };

interface Line {
  readonly number: number;
  readonly indent: number;
  readonly text: string;
}

export function readYaml(source: string): Yaml {
  const lines = source.split('\n').flatMap((line, at): Line[] => {
    const text = line.trimStart();
    if (text === '' || text.startsWith('#')) return [];
    const read = { number: at + 1, indent: line.length - text.length, text };
    if (/\t|\s$|\r/.test(line)) throw wrong(read, 'has a tab or ends in white space');
    return [read];
  });
  const value = block(lines, lines[0]?.indent ?? 0);
  if (lines.length > 0) throw wrong(lines[0]!, 'is indented less than what it belongs to');
  return value;
}

/** All lines of this indentation, and those below them. */
function block(lines: Line[], indent: number): Yaml {
  const isList = lines[0]?.text.startsWith('- ') ?? false;
  const list: Yaml[] = [];
  const map: Record<string, Yaml> = {};
  while (lines[0] && lines[0].indent >= indent) {
    const line = lines[0];
    if (line.indent > indent) throw wrong(line, 'is indented more than the line before it');
    if (line.text.startsWith('- ') !== isList) throw wrong(line, 'is no part of the list or map before it');
    if (isList) {
      // What follows the dash stands where the next lines of the same item do.
      lines[0] = { ...line, indent: indent + 2, text: line.text.slice(2) };
      list.push(KEY.test(lines[0].text) ? block(lines, indent + 2) : scalar(lines.shift()!, lines[0].text));
      continue;
    }
    const [, key, rest] = KEY.exec(line.text) ?? [];
    if (key === undefined) throw wrong(line, 'is no "key: value"');
    if (Object.hasOwn(map, key)) throw wrong(line, 'has a key that is there already');
    lines.shift();
    const isDeeper = lines[0] !== undefined && lines[0].indent > indent;
    map[key] = rest ? scalar(line, rest) : isDeeper ? block(lines, lines[0]!.indent) : null;
  }
  return isList ? list : map;
}

const KEY = /^([A-Za-z][\w-]*):(?: (.+))?$/;
/** Nothing in it that YAML gives a meaning to. */
const BARE = /^(?![-?:,[\]{}#&*!|>'"%@`])(?!.*(: | #)).*[^:]$/;

function scalar(line: Line, text: string): Yaml {
  if (/^\[.*\]$/.test(text))
    return text
      .slice(1, -1)
      .split(', ')
      .map((one) => scalar(line, one));
  if (/^'[^']*'$/.test(text)) return text.slice(1, -1);
  if (BARE.test(text)) return text;
  throw wrong(line, `has a value that is not plain: ${text}`);
}

function wrong({ number }: Line, why: string): Error {
  return new Error(`line ${number} ${why}`);
}
