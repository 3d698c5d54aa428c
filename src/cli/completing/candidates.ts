/** The completions at the cursor, from the verbs' declarations. */
import { firstWords, membersOf, type Registry, shortFor } from '../../verbs/kit/registry.ts';
import type { Argument, Options, Verb } from '../../verbs/kit/verb.ts';
import { optionFor, startOfName, takesNext } from '../../verbs/kit/words.ts';
import type { TextKey } from '../../verbs/text/catalogue.ts';

export interface Candidate {
  readonly word: string;
  /** What it is, for shells that show that. */
  readonly about: string;
}

interface Sources {
  readonly registry: Registry;
  readonly common: Options;
  /** Describes a word; null if the shell does not show that. */
  readonly explain: ((key: TextKey) => string) | null;
  /** The names of a kind that start with this. */
  readonly named: (kind: NonNullable<Argument['of']>, beginning: string) => Promise<readonly Candidate[]>;
}

/** The words after the program's name, up to the cursor; the last one is unfinished, or empty. */
export async function candidates(given: readonly string[], sources: Sources): Promise<Candidate[]> {
  const words = joinedValues(given);
  const current = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  if (before.includes('--')) return [];
  const { name, rest } = nameIn(before, sources);
  const meant = name === null ? null : (shortFor(sources.registry, name) ?? name);
  const verb = (await sources.registry.get(meant ?? '')?.()) ?? null;
  const options = { ...sources.common, ...verb?.options };
  const found = await possible({ name, verb, rest, current, options }, sources);
  return found.filter(({ word }) => word.startsWith(current));
}

interface Typed {
  /** The verb's, or the first word of several. */
  readonly name: string | null;
  readonly verb: Verb | null;
  readonly rest: readonly string[];
  readonly current: string;
  readonly options: Options;
}

async function possible(place: Typed, sources: Sources): Promise<Candidate[]> {
  const { name, verb, rest, current, options } = place;
  const open = rest.at(-1);
  if (open?.startsWith('-') && takesNext(open, options)) return valuesOf(open, options);
  const [, flag] = /^(--[^=]+)=/.exec(current) ?? [];
  if (flag) return valuesOf(flag, options).map((one) => ({ ...one, word: `${flag}=${one.word}` }));
  if (current.startsWith('-')) return flagsOf(options, sources);
  if (name === null) return namesAfter('', sources);
  const loose = looseIn(rest, options).length;
  const members = loose === 0 ? await namesAfter(name, sources) : [];
  return [...members, ...(await argumentsOf(verb, loose, current, sources))];
}

/** Bash takes `--flag=value` apart into three words. */
function joinedValues(words: readonly string[]): string[] {
  const joined: string[] = [];
  for (const word of words) {
    const last = joined.at(-1);
    const follows = last?.startsWith('--') && (word === '=' || last.endsWith('='));
    if (follows) joined[joined.length - 1] = last + word;
    else joined.push(word);
  }
  return joined;
}

/** The verb's name, or its first word if the second is still missing; and the words around it. */
function nameIn(words: readonly string[], { registry, common }: Sources): Pick<Typed, 'name' | 'rest'> {
  const at = startOfName(words, common);
  const [first, second] = words.slice(at, at + 2);
  if (first === undefined) return { name: null, rest: words };
  const name = second !== undefined && registry.has(`${first} ${second}`) ? `${first} ${second}` : first;
  return { name, rest: words.slice(at + name.split(' ').length) };
}

function looseIn(rest: readonly string[], options: Options): string[] {
  return rest.filter((word, at) => {
    const before = rest[at - 1];
    return !word.startsWith('-') && !(before?.startsWith('-') && takesNext(before, options));
  });
}

function valuesOf(flag: string, options: Options): Candidate[] {
  return (optionFor(flag, options)?.option.choices ?? []).map((word) => ({ word, about: '' }));
}

function flagsOf(options: Options, { explain }: Sources): Candidate[] {
  return Object.entries(options).map(([flag, { about }]) => ({
    word: `--${flag}`,
    about: explain?.(about) ?? '',
  }));
}

/** The words that can follow: the first ones, or the second ones after a first. */
async function namesAfter(first: string, { registry, explain }: Sources): Promise<Candidate[]> {
  const words = first === '' ? firstWords(registry) : membersOf(registry, first);
  return Promise.all(
    words.map(async (word) => {
      const load = explain && registry.get(first === '' ? word : `${first} ${word}`);
      return { word, about: load ? explain((await load()).summary) : '' };
    }),
  );
}

async function argumentsOf(
  verb: Verb | null,
  loose: number,
  current: string,
  { named }: Sources,
): Promise<readonly Candidate[]> {
  const all = Object.values(verb?.arguments ?? {});
  const wanted = all[loose] ?? (all.at(-1)?.many ? all.at(-1) : undefined);
  if (wanted?.choices) return wanted.choices.map((word) => ({ word, about: '' }));
  return wanted?.of ? named(wanted.of, current) : [];
}
