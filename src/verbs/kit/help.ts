/** Help, made from the verbs' declarations. */
import { pad, widthOf } from '../format/width.ts';
import type { Say } from '../text/choose.ts';
import { GROUPS, type Options, type Verb } from './verb.ts';

/** How verbs are called in this environment. */
interface HelpStyle {
  readonly say: Say;
  /** Before every verb: the program's name and a space, or a slash. */
  readonly prefix: string;
  readonly common: Options;
}

export function verbHelp(verb: Verb, { say, prefix, common }: HelpStyle): string[] {
  const args = Object.entries(verb.arguments).map(([name, { about }]) => [name, say(about)] as const);
  const also = (verb.aliases ?? []).map((name) => prefix + name).join(', ');
  return [
    `${say('help.usage')} ${prefix}${usageOf(verb, say('help.some_options'))}`,
    '',
    say(verb.summary),
    ...(also === '' ? [] : [say('help.also', { names: also })]),
    ...section(say('help.arguments'), args),
    ...section(say('help.options'), optionRows(verb.options, say)),
    ...section(say('help.global_options'), optionRows(common, say)),
    '',
    say('help.examples'),
    ...verb.examples.map((example) => `  ${prefix}${example}`),
  ];
}

/** All verbs, or those whose names begin with a word. */
export function listHelp(
  verbs: readonly Verb[],
  { say, prefix, common }: HelpStyle,
  first?: string,
): string[] {
  const shown = first === undefined ? verbs : verbs.filter((verb) => namesOf(verb).some(startsWith(first)));
  const rows = (of: readonly Verb[]) =>
    of.map((verb) => {
      const name = first === undefined ? verb.name : namesOf(verb).find(startsWith(first))!;
      return [name, say(verb.summary)] as const;
    });
  const groups = GROUPS.map((group) => [group, shown.filter((verb) => verb.group === group)] as const);
  return [
    `${say('help.usage')} ${prefix}${first === undefined ? '' : `${first} `}${say('help.command')}`,
    '',
    ...(first === undefined ? [say('program.summary')] : []),
    ...groups.flatMap(([group, of]) => section(say(`group.${group}`), rows(of), widest(rows(shown)))),
    ...section(say('help.global_options'), optionRows(common, say)),
    '',
    say('help.more', { command: `${prefix}${shown[0]!.name} --help` }),
  ];
}

/** `tasks [options]`, `show <task>` */
export function usageOf(verb: Verb, some = '[options]'): string {
  const args = Object.entries(verb.arguments).map(([name, { optional, many }]) => {
    const shown = many ? `${name}…` : name;
    return optional ? `[${shown}]` : `<${shown}>`;
  });
  const options = Object.keys(verb.options).length > 0 ? [some] : [];
  return [verb.name, ...args, ...options].join(' ');
}

export function optionRows(options: Options, say: Say): Row[] {
  return Object.entries(options).map(([flag, { short, value, bare, about, choices }]) => {
    const letter = short === undefined ? '' : `-${short}, `;
    const meaning = say(about);
    return [
      `${letter}--${flag}${value === undefined ? '' : bare === undefined ? ` <${value}>` : ` [${value}]`}`,
      choices ? say('help.choices', { meaning, choices: choices.join(', ') }) : meaning,
    ];
  });
}

type Row = readonly [name: string, meaning: string];

function section(title: string, rows: readonly Row[], width = widest(rows)): string[] {
  if (rows.length === 0) return [];
  return ['', title, ...rows.map(([name, meaning]) => `  ${pad(name, width)}  ${meaning}`)];
}

function widest(rows: readonly Row[]): number {
  return Math.max(0, ...rows.map(([name]) => widthOf(name)));
}

function namesOf({ name, aliases = [] }: Verb): string[] {
  return [name, ...aliases];
}

function startsWith(first: string): (name: string) => boolean {
  return (name) => name.startsWith(`${first} `) || name === first;
}
