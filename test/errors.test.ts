/** docs/reference/errors.md and src/errors.ts, held together. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES, type ErrorCode, VibeError } from '../src/errors.ts';
import * as exported from '../src/index.ts';
import { decode, encode } from '../src/storage/serialize.ts';

const ROOT = join(import.meta.dirname, '..');
const source = readFileSync(join(ROOT, 'src/errors.ts'), 'utf8');
const [, ...sections] = readFileSync(join(ROOT, 'docs/reference/errors.md'), 'utf8').split(/^## /m);
const entries = new Map(sections.map((section) => [section.slice(0, section.indexOf('\n')), section]));

describe('docs/reference/errors.md', () => {
  it('has an entry for every code', () => {
    const missing = ERROR_CODES.filter((code) => !entries.has(code));
    expect(missing, `Add to docs/reference/errors.md, for each: ${TEMPLATE}`).toEqual([]);
  });

  it('has no entry without a code', () => {
    const known: readonly string[] = ERROR_CODES;
    const stray = [...entries.keys()].filter((code) => !known.includes(code));
    expect(stray, 'Remove these sections, or add the codes to ERROR_CODES in src/errors.ts.').toEqual([]);
  });

  it('has them in the order of ERROR_CODES, each once', () => {
    expect(sections.map((section) => section.slice(0, section.indexOf('\n')))).toEqual([...ERROR_CODES]);
  });

  it.each([...entries])('%s says when, what to do and what is in data', (code, section) => {
    const lines = [/^- \*\*When\*\*: \S/m, /^- \*\*What to do\*\*: \S/m, /^- \*\*In `data`\*\*: \S/m];
    for (const line of lines) expect(section, `Section ${code} needs: ${TEMPLATE}`).toMatch(line);
  });

  it('links only to sections that are there', () => {
    const anchors = new Set([...entries.keys()].map((code) => code.toLowerCase()));
    const links = sections.flatMap((section) =>
      Array.from(section.matchAll(/\]\(#(\w+)\)/g), ([, to]) => to!),
    );
    expect(links.filter((to) => !anchors.has(to))).toEqual([]);
  });
});

describe('every code', () => {
  const names: Readonly<Record<string, unknown>> = exported;

  it.each(ERROR_CODES)('%s belongs to a class that is exported, the one its entry names', (code) => {
    const name = classWith(code);
    expect(names[name], `Export ${name} from src/index.ts.`).toBeTypeOf('function');
    expect((names[name] as typeof VibeError).prototype).toBeInstanceOf(VibeError);
    expect(entries.get(code), `Name \`${name}\` under "## ${code}" in docs/reference/errors.md.`).toContain(
      `\n\`${name}\`\n`,
    );
  });
});

describe('a VibeError', () => {
  const error = new VibeError('USAGE', 'No.', { data: { a: 1 }, hint: 'Do.', cause: new Error('why') });

  it('shows itself as JSON without stack and cause', () => {
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: 'VibeError',
      code: 'USAGE',
      message: 'No.',
      hint: 'Do.',
      data: { a: 1 },
    });
  });

  it('keeps its cause, also through storage', () => {
    expect((decode(encode(error)) as VibeError).cause).toEqual(new Error('why'));
  });

  it('has no cause when none was given', () => {
    expect('cause' in new VibeError('USAGE', 'No.', { hint: 'Do.' })).toBe(false);
  });
});

const TEMPLATE = [
  '"## CODE", the class in backticks on a line of its own,',
  'and the three points "- **When**: …", "- **What to do**: …", "- **In `data`**: …".',
].join(' ');

/** The class in src/errors.ts that takes the code. */
function classWith(code: ErrorCode): string {
  const groups = new Map(
    Array.from(source.matchAll(/^const (\w+) = \[([^\]]*)\]/gm), ([, name, codes]) => [name!, codes!]),
  );
  const named = source.replace(/\(typeof (\w+)\)\[number\]> \{/g, (_, group) => groups.get(group)!);
  const [, ...classes] = named.split(/^export class /m);
  const [found, ...others] = classes.filter(
    (text) => text.includes(`'${code}'`) && !text.startsWith('VibeError'),
  );
  if (!found || others.length > 0) throw new Error(`Not exactly one class in src/errors.ts takes ${code}.`);
  return found.slice(0, found.indexOf(' '));
}
