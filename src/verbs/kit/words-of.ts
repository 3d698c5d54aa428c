/** The words that call a verb with these values, for another process: what `readWords` reads back. */
import type { Verb } from './verb.ts';
import type { Values } from './words.ts';

export function wordsOf(
  { name, arguments: known, options: flags }: Pick<Verb, 'name' | 'arguments' | 'options'>,
  args: Values,
  options: Values,
): string[] {
  const given = Object.keys(known).flatMap((one) => listed(args[one]));
  return [
    ...name.split(' '),
    ...Object.keys(flags).flatMap((flag) => flagged(flag, options[flag])),
    ...(given.length > 0 ? ['--', ...given] : []),
  ];
}

function flagged(flag: string, value: unknown): string[] {
  if (value === true) return [`--${flag}`];
  return value === false ? [] : listed(value).map((one) => `--${flag}=${one}`);
}

function listed(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  return (Array.isArray(value) ? value : [value]).map(String);
}
