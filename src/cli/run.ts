/** One run of the command line, from its arguments to its exit code. */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { VibeError } from '../errors.ts';
import { type CliContext, type CliIo, EXIT } from './context.ts';
import { demoCommand } from './demo.ts';
import { asLanguage, LANGUAGES, languageOf, type Say, speak } from './text/choose.ts';
import { usageError } from './usage.ts';
import { VERSION } from './version.ts';

export async function runCli(args: readonly string[], io: CliIo): Promise<number> {
  const say = speak(languageIn(args) ?? languageOf(io.env));
  const program = buildProgram(say, io);
  try {
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync([...args], { from: 'user' });
    return EXIT.ok;
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return EXIT.ok; // --help, --version
    const error = thrown instanceof CommanderError ? usageError(thrown, program, say) : thrown;
    io.err(describeError(error, say, args.includes('--debug')));
    return error instanceof VibeError && error.code === 'USAGE' ? EXIT.usage : EXIT.error;
  }
}

function buildProgram(say: Say, io: CliIo): Command {
  const context: CliContext = { say, print: (line) => io.out(`${line}\n`) };
  const program = new Command('vibe-engine')
    .description(say('program.summary'))
    .version(VERSION, '-V, --version', say('option.version'))
    .addOption(languageOption(say))
    .option('--debug', say('option.debug'))
    .helpCommand(false);
  program.addCommand(demoCommand(context));
  for (const command of [program, ...program.commands]) speakThrough(command, say, io);
  return program;
}

function languageOption(say: Say): Option {
  return new Option('--lang <language>', say('option.lang')).choices(LANGUAGES).argParser((name: string) => {
    const language = asLanguage(name);
    if (language === undefined) throw new InvalidArgumentError('');
    return language;
  });
}

/** Makes a command answer through us: its help in our words, its errors thrown, nothing printed behind our back. */
function speakThrough(command: Command, say: Say, io: CliIo): void {
  command
    .exitOverride()
    .helpOption('-h, --help', say('option.help'))
    .configureOutput({ writeOut: io.out, writeErr: () => {} })
    .configureHelp({
      styleTitle: (title) => say(TITLES[title] ?? 'help.options'),
      optionDescription: ({ description }) => description, // ours name the choices and the default themselves
    });
}

const TITLES: Readonly<Record<string, Parameters<Say>[0]>> = {
  'Usage:': 'help.usage',
  'Options:': 'help.options',
  'Commands:': 'help.commands',
  'Arguments:': 'help.arguments',
  'Global Options:': 'help.global_options',
};

/** The language has to be known before the options are described, so it is looked up ahead of parsing. */
function languageIn(args: readonly string[]): ReturnType<typeof asLanguage> {
  const at = args.findIndex((arg) => arg === '--lang' || arg.startsWith('--lang='));
  if (at < 0) return undefined;
  return asLanguage(args[at]!.split('=')[1] ?? args[at + 1] ?? '');
}

function describeError(error: unknown, say: Say, debug: boolean): string {
  const known = error instanceof VibeError;
  const message = error instanceof Error ? error.message : String(error);
  const lines = [
    say('error.line', { code: known ? error.code : 'UNEXPECTED', message }),
    say('error.hint', { hint: known ? error.hint : say('error.debug') }),
  ];
  if (debug && error instanceof Error) lines.push(stackOf(error));
  return `${lines.join('\n')}\n`;
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\n${stackOf(error.cause)}` : '';
  return `${error.stack ?? error.message}${cause}`;
}
