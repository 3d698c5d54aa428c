/** docs/reference/cli.md is derived from the verbs. Run with UPDATE_DOCS=1 to rewrite it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { COMMON } from '../../src/cli/common/options.ts';
import { CLI_VERBS } from '../../src/cli/verbs.ts';
import { optionRows, usageOf } from '../../src/verbs/kit/help.ts';
import { allVerbs } from '../../src/verbs/kit/registry.ts';
import type { Shape } from '../../src/verbs/kit/shape.ts';
import { GROUPS, type Verb } from '../../src/verbs/kit/verb.ts';
import { type Say, speak } from '../../src/verbs/text/choose.ts';

const PAGE = new URL('../../docs/reference/cli.md', import.meta.url);
const BEGIN =
  '<!-- commands: derived from src/verbs, rewritten by UPDATE_DOCS=1 npx vitest run test/cli/docs -->';

test('docs/reference/cli.md describes every command as it is', async () => {
  const page = readFileSync(PAGE, 'utf8');
  const at = page.indexOf(BEGIN);
  expect(at).toBeGreaterThan(0);
  const derived = `${page.slice(0, at + BEGIN.length)}\n\n${await commands()}`;
  if (process.env.UPDATE_DOCS === '1') writeFileSync(PAGE, derived);
  else expect(page).toBe(derived);
});

async function commands(): Promise<string> {
  const say = await speak('en');
  const verbs = await allVerbs(CLI_VERBS);
  const groups = GROUPS.map((group) => {
    const of = verbs.filter((verb) => verb.group === group);
    return [`## ${say(`group.${group}`).replace(/:$/, '')}`, ...of.map((verb) => section(verb, say))].join(
      '\n\n',
    );
  });
  return `${[`## Options that every command takes\n\n${optionTable(COMMON, say)}`, ...groups].join('\n\n')}\n`;
}

function section(verb: Verb, say: Say): string {
  const { arguments: args, options, aliases, examples, data } = verb;
  const words = Object.entries(args).map(([name, { about }]) => `| \`${name}\` | ${say(about)} |`);
  return [
    `### ${verb.name}`,
    `\`vibe-engine ${usageOf(verb)}\`: ${say(verb.summary)}.${aliases ? ` Also ${aliases.map((name) => `\`${name}\``).join(', ')}.` : ''}`,
    ...(words.length > 0 ? [['| argument | meaning |', '|---|---|', ...words].join('\n')] : []),
    ...(Object.keys(options).length > 0 ? [optionTable(options, say)] : []),
    ['```sh', ...examples.map((example) => `vibe-engine ${example}`), '```'].join('\n'),
    ['`data` with `--json`:', '', '```text', shapeText(data, ''), '```'].join('\n'),
  ].join('\n\n');
}

function optionTable(options: Verb['options'], say: Say): string {
  const rows = optionRows(options, say).map(([flag, meaning]) => `| \`${flag}\` | ${meaning} |`);
  return ['| option | meaning |', '|---|---|', ...rows].join('\n');
}

function shapeText(shape: Shape, indent: string): string {
  if (typeof shape === 'string') return shape.replace('|', ' | ');
  if (Array.isArray(shape)) return `[${shapeText((shape as readonly [Shape])[0], indent)}]`;
  const inner = `${indent}  `;
  const members = Object.entries(shape).map(([name, of]) => `${inner}${name}: ${shapeText(of, inner)}`);
  return `{\n${members.join('\n')}\n${indent}}`;
}
