/** Errors in one layer of settings, in words: which file or variable, which key, what was expected. */

import type { z } from 'zod';
import { ConfigError } from '../errors.ts';
import { phrase } from '../phrase.ts';
import { shortened } from '../system/shortened.ts';
import { nearest } from './nearest.ts';
import { keysIn, SETTINGS, settingAt } from './settings.ts';

/** Where a value came from. */
export interface Origin {
  readonly source: 'default' | 'user' | 'project' | 'environment' | 'options';
  /** The file or the variable; null where there is none. */
  readonly from: string | null;
}

export interface SettingProblem {
  readonly key: string;
  readonly expected: string;
  readonly sentence: string;
  readonly suggestion?: string | undefined;
}

export function refuseSettings(origin: Origin, problems: readonly SettingProblem[]): never {
  const [first] = problems as [SettingProblem, ...SettingProblem[]];
  const sentences = problems
    .slice(0, SHOWN)
    .map(({ sentence }, at) => (at === 0 ? sentence : phrase`Also: ${sentence}`));
  if (problems.length > SHOWN) sentences.push(phrase`And ${problems.length - SHOWN} more.`);
  throw new ConfigError('CONFIG_INVALID', at(origin, sentences.join(' ')), {
    data: {
      ...dataOf(origin),
      key: first.key,
      expected: first.expected,
      suggestion: first.suggestion ?? null,
      problems: problems.map(({ sentence }) => sentence),
    },
    hint: phrase`${first.suggestion ? `Did you mean "${first.suggestion}"? ` : ''}docs/reference/settings.md lists every setting.`,
  });
}

export function refuseFile(
  origin: Origin,
  sentence: string,
  expected: string,
  data: object,
  cause?: unknown,
): never {
  throw new ConfigError('CONFIG_INVALID', at(origin, sentence), {
    data: { ...dataOf(origin), key: null, expected, ...data },
    hint: phrase`Correct the file, or move it away to use the defaults. It has to be ${expected}.`,
    ...(cause === undefined ? {} : { cause }),
  });
}

/** The schema's complaints about a layer's raw values. */
export function problemsFrom(issues: readonly z.core.$ZodIssue[], values: unknown): SettingProblem[] {
  return issues.flatMap((issue) => {
    const path = issue.path.map(String);
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(path, key));
    // An error inside a list is reported for the list.
    const end = path.findIndex((_, at) => settingAt(path.slice(0, at + 1).join('.')));
    return [wrongValue(end < 0 ? path : path.slice(0, end + 1), values)];
  });
}

export function unknownKey(section: readonly string[], key: string): SettingProblem {
  const inside = section.join('.');
  const known = keysIn(inside);
  const near = nearest(key, known);
  const full = [...section, key].join('.');
  return {
    key: full,
    expected: phrase`one of ${known.join(', ')}`,
    sentence: phrase`there is no setting "${full}".`,
    suggestion: near ? [...section, near].join('.') : elsewhere(key),
  };
}

/** A project comes from others: it must not bring along what runs before the user is asked. */
export function notForProjects(key: string): SettingProblem {
  const expected = phrase`it in your own config.json, in its variable, or among the options`;
  return { key, expected, sentence: phrase`a project cannot set "${key}"; expected ${expected}.` };
}

function wrongValue(path: readonly string[], values: unknown): SettingProblem {
  const key = path.join('.');
  const setting = settingAt(key);
  const expected = setting?.expects ?? phrase`an object of settings ({ … })`;
  const value = valueAt(values, path);
  const shown = setting?.secret ? phrase`not usable` : show(value);
  const choices = [...expected.matchAll(/"([^"]+)"/g)].map(([, choice]) => choice!);
  const suggestion = typeof value === 'string' && !setting?.secret ? nearest(value, choices) : undefined;
  return { key, expected, sentence: phrase`"${key}" is ${shown}; expected ${expected}.`, suggestion };
}

export function valueAt(values: unknown, path: readonly string[]): unknown {
  let value = values;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** The right name in another section: people forget the nesting. */
function elsewhere(key: string): string | undefined {
  const paths = SETTINGS.map(({ path }) => path);
  const inner = paths.find((path) => path.at(-1) === key) ?? paths.find((path) => path.includes(key));
  return inner?.slice(0, inner.indexOf(key) + 1).join('.');
}

export function show(value: unknown): string {
  return shortened(JSON.stringify(value) ?? typeof value, 60);
}

const SHOWN = 3;

function at({ source, from }: Origin, sentence: string): string {
  if (source === 'options') return phrase`In the options given: ${sentence}`;
  if (source === 'environment') return phrase`In the environment variable ${from}: ${sentence}`;
  return phrase`In ${from}: ${sentence}`;
}

function dataOf({ source, from }: Origin): Record<string, unknown> {
  const isFile = source === 'user' || source === 'project';
  return { source, file: isFile ? from : null, variable: source === 'environment' ? from : null };
}
