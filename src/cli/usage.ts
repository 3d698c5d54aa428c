/** What is wrong with a command line, in the user's language, with the nearest right word. */
import type { Command, CommanderError } from 'commander';
import { nearest } from '../config/nearest.ts';
import { InvalidInputError } from '../errors.ts';
import type { Say } from './text/choose.ts';

export function usageError(error: CommanderError, program: Command, say: Say): InvalidInputError {
  const [name = '', value = ''] = quotedIn(error.message);
  const help = say('usage.help', { command: program.name() });
  switch (error.code) {
    case 'commander.unknownCommand': {
      const near = nearest(name, commandNames(program));
      return refusal(say('usage.unknown_command', { name }), suggestion(near, say) + help);
    }
    case 'commander.unknownOption': {
      const near = nearest(name, optionNames(program));
      return refusal(say('usage.unknown_option', { name }), suggestion(near, say) + help);
    }
    case 'commander.optionMissingArgument':
      return refusal(say('usage.missing_value', { name: flagOf(name) }), help);
    case 'commander.invalidArgument': {
      const choices = choicesOf(program, flagOf(name));
      const hint =
        suggestion(nearest(value, choices), say) + say('usage.allowed', { allowed: choices.join(', ') });
      return refusal(say('usage.bad_value', { name: flagOf(name), value }), hint + help);
    }
    case 'commander.excessArguments':
      return refusal(say('usage.too_many'), help);
    default:
      return refusal(say('usage.other', { message: error.message }), help);
  }
}

function refusal(message: string, hint: string): InvalidInputError {
  return new InvalidInputError('USAGE', message, { hint });
}

function suggestion(near: string | undefined, say: Say): string {
  return near === undefined ? '' : say('usage.nearest', { nearest: near });
}

/** Commander names the words it means between single quotes. */
function quotedIn(message: string): string[] {
  return [...message.matchAll(/'([^']*)'/g)].map((match) => match[1]!);
}

/** `--storage` of `-s, --storage <type>`. */
function flagOf(flags: string): string {
  return /--[\w-]+/.exec(flags)?.[0] ?? flags;
}

function commandNames(program: Command): string[] {
  return program.commands.map((command) => command.name());
}

function optionNames(program: Command): string[] {
  const own = [program, ...program.commands].flatMap(({ options }) => options.map(({ long }) => long ?? ''));
  return [...own, '--help'];
}

function choicesOf(program: Command, flag: string): readonly string[] {
  const options = [program, ...program.commands].flatMap((command) => command.options);
  return options.find(({ long }) => long === flag)?.argChoices ?? [];
}
