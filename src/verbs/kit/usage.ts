/** Errors in a command line, in the reader's language, with the nearest right word. */
import { nearest } from '../../config/nearest.ts';
import { InvalidInputError } from '../../errors.ts';
import type { Say } from '../text/choose.ts';
import type { Option } from './verb.ts';

/** Makes the refusals of one command line. */
export interface Refusals {
  unknownVerb(name: string, known: readonly string[]): InvalidInputError;
  unknownOption(flag: string, known: readonly string[]): InvalidInputError;
  missingValue(flag: string): InvalidInputError;
  noValueTaken(flag: string): InvalidInputError;
  badValue(flag: string, value: string, option: Option): InvalidInputError;
  missingArgument(name: string): InvalidInputError;
  badArgument(name: string, value: string, choices: readonly string[]): InvalidInputError;
  tooMany(extra: string): InvalidInputError;
}

/** `help` is the command that shows its help. */
export function refusals(say: Say, help: string): Refusals {
  const refuse = (message: string, hint = '', data: Record<string, unknown> = {}): InvalidInputError =>
    new InvalidInputError('USAGE', message, { data, hint: hint + say('usage.help', { command: help }) });
  const meant = (name: string, known: readonly string[]): string => {
    const near = nearest(name, known);
    return near === undefined ? '' : say('usage.nearest', { nearest: near });
  };
  return {
    unknownVerb: (name, known) =>
      refuse(say('usage.unknown_command', { name }), meant(name, known), { name }),
    unknownOption: (flag, known) =>
      refuse(say('usage.unknown_option', { name: flag }), meant(flag, known), { flag }),
    missingValue: (flag) => refuse(say('usage.missing_value', { name: flag }), '', { flag }),
    noValueTaken: (flag) => refuse(say('usage.no_value', { name: flag }), '', { flag }),
    badValue(flag, value, { choices, number }) {
      const allowed = choices
        ? meant(value, choices) + say('usage.allowed', { allowed: choices.join(', ') })
        : number
          ? number.max === undefined
            ? say(number.whole ? 'usage.whole_number' : 'usage.number', { min: number.min })
            : say('usage.number_between', { min: number.min, max: number.max })
          : say('usage.text');
      return refuse(say('usage.bad_value', { name: flag, value }), allowed, { flag, value, choices });
    },
    missingArgument: (name) => refuse(say('usage.missing_argument', { name }), '', { argument: name }),
    badArgument: (name, value, choices) =>
      refuse(
        say('usage.bad_argument', { name, value }),
        choices.length > 0
          ? meant(value, choices) + say('usage.allowed', { allowed: choices.join(', ') })
          : say('usage.text'),
        { argument: name, value, choices },
      ),
    tooMany: (extra) => refuse(say('usage.too_many', { extra }), '', { extra }),
  };
}
