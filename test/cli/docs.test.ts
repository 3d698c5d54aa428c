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
const END = '<!-- end of commands -->';

test('docs/reference/cli.md describes every command as it is', async () => {
  const page = readFileSync(PAGE, 'utf8');
  const [before, after] = [page.indexOf(BEGIN), page.indexOf(END)];
  expect(before).toBeGreaterThan(0);
  expect(after).toBeGreaterThan(before);
  const derived = `${page.slice(0, before + BEGIN.length)}\n\n${await commands()}\n\n${page.slice(after)}`;
  if (process.env.UPDATE_DOCS === '1') writeFileSync(PAGE, derived);
  else expect(page).toBe(derived);
});

async function commands(): Promise<string> {
  const say = await speak('en');
  const verbs = await allVerbs(CLI_VERBS);
  const groups = GROUPS.map((group) => ({
    title: say(`group.${group}`).replace(/:$/, ''),
    verbs: verbs.filter((verb) => verb.group === group),
  }));
  return [
    ...groups.map((group) => `**${group.title}**\n\n${contents(group.verbs, say)}`),
    `## Options of every command\n\n${optionTable(COMMON, say)}`,
    ...groups.flatMap((group) => [`## ${group.title}`, ...group.verbs.map((verb) => section(verb, say))]),
  ].join('\n\n');
}

function contents(verbs: readonly Verb[], say: Say): string {
  const rows = verbs.map(
    ({ name, summary }) => `| [\`${name}\`](#${name.replaceAll(' ', '-')}) | ${say(summary)} |`,
  );
  return ['| command | what it does |', '|---|---|', ...rows].join('\n');
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
