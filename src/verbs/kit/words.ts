/** Parses words into a verb and its arguments. The words come from a terminal or from an agent's prompt. */
import { nearest } from '../../config/nearest.ts';
import type { Say } from '../text/choose.ts';
import { firstWords, membersOf, type Registry, shortFor } from './registry.ts';
import { type Refusals, refusals } from './usage.ts';
import type { Option, Options, Verb } from './verb.ts';

interface Reading {
  readonly registry: Registry;
  /** Options that every verb takes here. */
  readonly common: Options;
  readonly say: Say;
  /** The command that shows the help for words. */
  readonly helpFor: (words: string) => string;
}

/** What was asked for: a verb, or help on one, on a group of them, or on all. */
export type Asked =
  | { readonly kind: 'verb'; readonly verb: Verb; readonly args: Values; readonly options: Values }
  | { readonly kind: 'help'; readonly verb: Verb }
  | { readonly kind: 'help'; readonly group: string | null };

export type Values = Readonly<Record<string, unknown>>;

export async function readWords(given: readonly string[], reading: Reading): Promise<Asked> {
  // `help resume` is what newcomers type.
  const words = given[0] === 'help' ? [...given.slice(1), '--help'] : given;
  const { registry, common, say, helpFor } = reading;
  const { at, name, taken } = findName(words, reading);
  const wantsHelp = wants('help', words, common);
  if (name === null) return { kind: 'help', group: null };
  if (!registry.has(name)) return { kind: 'help', group: name };
  const verb = await registry.get(name)!();
  if (wantsHelp) return { kind: 'help', verb };
  const rest = [...words.slice(0, at), ...words.slice(at + taken)];
  const refuse = refusals(say, helpFor(name));
  const { loose, options } = readOptions(rest, { ...common, ...verb.options }, refuse);
  const second = membersOf(registry, name);
  if (loose.length > 0 && second.length > 0 && Object.keys(verb.arguments).length === 0)
    throw refuse.unknownVerb(
      `${name} ${loose[0]}`,
      second.map((word) => `${name} ${word}`),
    );
  return { kind: 'verb', verb, args: readArguments(loose, verb, refuse), options };
}

/** Whether a common flag is among the words, wherever it stands. */
export function wants(flag: string, words: readonly string[], common: Options): boolean {
  const end = words.indexOf('--');
  const short = common[flag]?.short;
  return words
    .slice(0, end < 0 ? undefined : end)
    .some((word) => word === `--${flag}` || (short !== undefined && word === `-${short}`));
}

interface Found {
  readonly at: number;
  readonly name: string | null;
  /** How many words it is. */
  readonly taken: number;
}

/** The verb's name is the first word, or the first two, that are no option and no value of one. */
function findName(words: readonly string[], { registry, common, say, helpFor }: Reading): Found {
  const at = startOfName(words, common);
  const [first, second] = words.slice(at, at + 2);
  if (first === undefined) {
    const unknown = words.find((word) => word.startsWith('-') && !optionFor(word, common));
    if (unknown) throw refusals(say, helpFor('')).unknownOption(unknown, flagsOf(common));
    return { at, name: null, taken: 0 };
  }
  const both = `${first} ${second}`;
  if (second !== undefined && registry.has(both)) return { at, name: both, taken: 2 };
  const members = membersOf(registry, first);
  if (registry.has(first)) {
    // `questions asnwer` names no task.
    if (second !== undefined && nearest(second, members) !== undefined)
      throw refusals(say, helpFor(first)).unknownVerb(
        both,
        members.map((word) => `${first} ${word}`),
      );
    return { at, name: first, taken: 1 };
  }
  const refuse = refusals(say, helpFor(members.length > 0 ? first : ''));
  if (members.length === 0) throw refuse.unknownVerb(first, firstWords(registry));
  if (second === undefined || second.startsWith('-')) return { at, name: first, taken: 1 };
  const short = shortFor(registry, first);
  if (short && nearest(second, members) === undefined) return { at, name: short, taken: 1 };
  throw refuse.unknownVerb(
    both,
    members.map((word) => `${first} ${word}`),
  );
}

/** After the options before it. */
export function startOfName(words: readonly string[], common: Options): number {
  let at = 0;
  while (at < words.length && words[at]!.startsWith('-') && words[at] !== '-') {
    at += takesNext(words[at]!, common) ? 2 : 1;
  }
  return at;
}

export function takesNext(word: string, options: Options): boolean {
  return !word.includes('=') && optionFor(word, options)?.option.value !== undefined;
}

export function optionFor(word: string, options: Options): { flag: string; option: Option } | undefined {
  const name = word.replace(/=[\s\S]*$/, '');
  const found = Object.entries(options).find(
    ([flag, { short }]) => name === `--${flag}` || (short !== undefined && name === `-${short}`),
  );
  return found && { flag: found[0], option: found[1] };
}

function flagsOf(options: Options): string[] {
  return Object.keys(options).map((flag) => `--${flag}`);
}

function readOptions(
  words: readonly string[],
  known: Options,
  refuse: Refusals,
): { loose: string[]; options: Values } {
  const loose: string[] = [];
  const options: Record<string, unknown> = {};
  for (const [flag, { many, value }] of Object.entries(known)) {
    options[flag] = many ? [] : value === undefined ? false : undefined;
  }
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (word === '--') return { loose: [...loose, ...words.slice(at + 1)], options };
    if (!word.startsWith('-') || word === '-') {
      loose.push(word);
      continue;
    }
    const found = optionFor(word, known);
    const shown = word.replace(/=[\s\S]*$/, '');
    if (!found) throw refuse.unknownOption(shown, flagsOf(known));
    const { flag, option } = found;
    const joined = word.includes('=') ? word.slice(word.indexOf('=') + 1) : undefined;
    if (option.value === undefined) {
      if (joined !== undefined) throw refuse.noValueTaken(shown);
      options[flag] = true;
      continue;
    }
    const text = joined ?? words[at + 1];
    if (text === undefined || (joined === undefined && text.startsWith('--'))) {
      if (option.bare === undefined) throw refuse.missingValue(shown);
      options[option.bare] = true;
      continue;
    }
    if (joined === undefined) at++;
    const values = valuesIn(text, option).map((one) => readValue(one, shown, option, refuse));
    options[flag] = option.many ? [...(options[flag] as unknown[]), ...values] : values[0];
  }
  return { loose, options };
}

/** The parts of a list; a comma in a path belongs to it: only what stands for a choice ends there. */
export function valuesIn(text: string, { many, whole, choices, accepts }: Option): string[] {
  if (!many || whole) return [text];
  const values: string[] = [];
  let open: string[] = [];
  for (const part of text.split(',')) {
    open.push(part);
    const value = open.join(',');
    if (accepts && !choices?.includes(value) && !accepts(value)) continue;
    values.push(value);
    open = [];
  }
  return open.length > 0 ? [...values, open.join(',')] : values;
}

export function readValue(text: string, flag: string, option: Option, refuse: Refusals): string | number {
  const { choices, accepts, number } = option;
  if (choices && !choices.includes(text) && !accepts?.(text)) throw refuse.badValue(flag, text, option);
  if (!number) return text;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  const { min, max = Number.MAX_VALUE, whole } = number;
  const fits = value >= min && value <= max && (!whole || Number.isInteger(value));
  if (!fits) throw refuse.badValue(flag, text, option);
  return value;
}

function readArguments(loose: readonly string[], verb: Verb, refuse: Refusals): Values {
  const rest = [...loose];
  const args: Record<string, unknown> = {};
  for (const [name, { optional, many, choices }] of Object.entries(verb.arguments)) {
    if (rest.length === 0 && !optional) throw refuse.missingArgument(name);
    if (choices && rest[0] !== undefined && !choices.includes(rest[0]))
      throw refuse.badArgument(name, rest[0], choices);
    args[name] = many ? rest.splice(0) : rest.shift();
  }
  if (rest.length > 0) throw refuse.tooMany(rest[0]!);
  return args;
}

/** A line as a shell would split it: by spaces, except between quotes; a backslash takes the next character as it is. */
export function splitLine(line: string): string[] {
  const words = line.match(/(?:[^\s"'\\]|\\[\s\S]|"(?:[^"\\]|\\[\s\S])*"|'[^']*'|["'\\])+/g) ?? [];
  return words.map((word) =>
    word.replace(
      /'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])/g,
      (_, single?: string, double?: string, escaped?: string) =>
        single ?? double?.replace(/\\([\s\S])/g, '$1') ?? escaped ?? '',
    ),
  );
}
