/** Reads an object into a verb's arguments and options. What words would be refused for is refused here in the same way. */
import type { Refusals } from './usage.ts';
import type { Argument, Option, Verb } from './verb.ts';
import { readValue, type Values } from './words.ts';

/** `given` is `{ args, options }`, both optional. A number is given as a number, a flag as a boolean, a list as a list. */
export function readValues(
  given: unknown,
  verb: Verb,
  refuse: Refusals,
): { readonly args: Values; readonly options: Values } {
  const parts = membersOf(given, refuse);
  const extra = Object.keys(parts).find((name) => name !== 'args' && name !== 'options');
  if (extra !== undefined) throw refuse.tooMany(extra);
  return {
    args: readArguments(membersOf(parts.args, refuse), verb, refuse),
    options: readOptions(membersOf(parts.options, refuse), verb, refuse),
  };
}

function readArguments(given: Values, { arguments: known }: Verb, refuse: Refusals): Values {
  const extra = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (extra !== undefined) throw refuse.tooMany(extra);
  return Object.fromEntries(
    Object.entries(known).map(([name, argument]) => [
      name,
      readArgument(name, given[name], argument, refuse),
    ]),
  );
}

function readArgument(
  name: string,
  value: unknown,
  { optional, many, choices }: Argument,
  refuse: Refusals,
): unknown {
  const listed = many ? listOf(value) : value === undefined ? [] : [value];
  if (listed === null) throw refuse.badArgument(name, shown(value), choices ?? []);
  const bad = listed.find((one) => !isText(one) || (choices && !choices.includes(one)));
  if (bad !== undefined) throw refuse.badArgument(name, shown(bad), choices ?? []);
  if (listed.length === 0 && !optional) throw refuse.missingArgument(name);
  return many ? listed : listed[0];
}

function readOptions(given: Values, { options: known }: Verb, refuse: Refusals): Values {
  const extra = Object.keys(given).find((flag) => !Object.hasOwn(known, flag));
  if (extra !== undefined)
    throw refuse.unknownOption(
      `--${extra}`,
      Object.keys(known).map((flag) => `--${flag}`),
    );
  return Object.fromEntries(
    Object.entries(known).map(([flag, option]) => [
      flag,
      readOption(`--${flag}`, given[flag], option, refuse),
    ]),
  );
}

function readOption(flag: string, value: unknown, option: Option, refuse: Refusals): unknown {
  if (option.value === undefined) {
    if (value !== undefined && typeof value !== 'boolean') throw refuse.noValueTaken(flag);
    return value ?? false;
  }
  const listed = option.many ? listOf(value) : value === undefined ? [] : [value];
  if (listed === null) throw refuse.badValue(flag, shown(value), option);
  const values = listed.map((one) => {
    if (option.number ? typeof one !== 'number' : !isText(one))
      throw refuse.badValue(flag, shown(one), option);
    return readValue(String(one), flag, option, refuse);
  });
  return option.many ? values : values[0];
}

function membersOf(given: unknown, refuse: Refusals): Values {
  if (given === undefined) return {};
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw refuse.tooMany(shown(given));
  return given as Values;
}

function listOf(value: unknown): readonly unknown[] | null {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : null;
}

/** Text that could have been typed. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0') && value.isWellFormed();
}

function shown(value: unknown): string {
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))).slice(0, LONGEST);
}

const LONGEST = 80;
