/** Holds the table in docs/reference/settings.md to the schema. Run with UPDATE_DOCS=1 to rewrite it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ALIASES } from '../../src/config/aliases.ts';
import { trustRule } from '../../src/config/needs-trust.ts';
import { SETTINGS, type Setting } from '../../src/config/settings.ts';

const FILE = new URL('../../docs/reference/settings.md', import.meta.url);
const BEGIN =
  '<!-- settings: derived from src/config/schema.ts, rewritten by UPDATE_DOCS=1 npx vitest run test/config -->';
const END = '<!-- end of settings -->';

test('docs/reference/settings.md lists every setting as the schema has it', () => {
  const page = readFileSync(FILE, 'utf8');
  const begin = page.indexOf(BEGIN) + BEGIN.length;
  const end = page.indexOf(END);
  expect(page.indexOf(BEGIN)).toBeGreaterThan(0);
  expect(end).toBeGreaterThan(begin);
  const table = `\n\n${tables()}\n\n${otherNames()}\n\n`;
  if (process.env.UPDATE_DOCS === '1') {
    writeFileSync(FILE, page.slice(0, begin) + table + page.slice(end));
    return;
  }
  expect(page.slice(begin, end)).toBe(table);
});

test('every setting says what it is for', () => {
  for (const { key, description } of SETTINGS) expect(description, key).toMatch(/^\S.*\.$/);
});

function tables(): string {
  const sections = Map.groupBy(SETTINGS, ({ path }) => path[0]!);
  return [...sections].map(([name, settings]) => `### ${name}\n\n${table(settings)}`).join('\n\n');
}

function otherNames(): string {
  const rows = ALIASES.map(
    ({ key, setting, example }) =>
      `| \`${key}\` | ${setting === null ? 'always the case' : `\`${setting}\``} | ${example === null ? 'the same' : `\`${example}\``} |`,
  );
  const title = '### Other names\n\nThe names of the design documents are accepted, too.';
  return [title, '', '| name | stands for | written as |', '|---|---|---|', ...rows].join('\n');
}

function table(settings: readonly Setting[]): string {
  const rows = settings.map(
    ({ key, default: value, expects, variable, description }) =>
      `| \`${key}\` | \`${JSON.stringify(value)}\` | ${expects} | ${description} | ${trusted(key)} | \`${variable}\` |`,
  );
  const title = '| setting | default | value | meaning | needs trust | variable |';
  return [title, '|---|---|---|---|---|---|', ...rows].join('\n');
}

/** Whether a project's file can set it without being trusted. */
function trusted(key: string): string {
  const rule = trustRule(key);
  return rule === null ? '' : (rule.of ?? 'yes');
}
