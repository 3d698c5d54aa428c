/**
 * Slash commands: an agent's own prompt passes a line such as `/checkpoints list x7k2qf`, and gets the answer of the same
 * verb as on the command line.
 */
import { resolve } from 'node:path';
import type { Engine } from '../engine/engine.ts';
import { InvalidInputError, VibeError } from '../errors.ts';
import { noPaint } from './format/paint.ts';
import { harmless } from './format/width.ts';
import { listHelp, verbHelp } from './kit/help.ts';
import { askNobody } from './kit/nobody.ts';
import { perform } from './kit/perform.ts';
import { allVerbs } from './kit/registry.ts';
import { withShortIds } from './kit/short.ts';
import type { Answer, Ask, Followed, Options, Resuming, Store } from './kit/verb.ts';
import { type Asked, readWords, splitLine } from './kit/words.ts';
import { type Language, type Say, speak } from './text/choose.ts';
import { translator } from './text/translate.ts';
import { VERBS } from './verbs.ts';

export interface SlashOptions {
  /** Default: English. */
  readonly language?: Language;
  /** Answers the questions of verbs; default: a question is an error that names the option which answers it. */
  readonly ask?: Ask;
  /** The width of a line. */
  readonly width?: number;
}

export type SlashAnswer = {
  /** For the reader. */
  readonly lines: readonly string[];
} & (
  | { readonly ok: true; readonly data: unknown }
  | {
      readonly ok: false;
      readonly error: { readonly code: string; readonly message: string; readonly hint: string };
    }
);

/** Never rejects for a bad command: errors are answers, too. */
export async function handleSlashCommand(
  line: string,
  engine: Engine,
  { language = 'en', ask, width }: SlashOptions = {},
): Promise<SlashAnswer> {
  const say = await speak(language);
  const translate = await translator(language);
  const help = { say, prefix: '/', common: COMMON };
  const store: Store = engine;
  const told: string[] = [];
  try {
    const reading = {
      registry: VERBS,
      common: COMMON,
      say,
      helpFor: (words: string) => `/${words}`.trimEnd(),
    };
    const asked: Asked = await readWords(wordsOf(line, say), reading);
    if (asked.kind === 'help') {
      const lines =
        'verb' in asked
          ? verbHelp(asked.verb, help)
          : listHelp(await allVerbs(VERBS), help, asked.group ?? undefined);
      return { ok: true, data: { help: lines }, lines };
    }
    const { data, lines } = await perform(asked.verb, asked.args, asked.options, {
      language,
      say,
      translate,
      paint: noPaint,
      live: null,
      width: width ?? null,
      now: () => new Date(),
      onProgress: () => {},
      signal: new AbortController().signal,
      ask: ask ?? askNobody(say),
      interactive: false,
      by: null,
      tell: (one) => told.push(one),
      note: (one) => told.push(one),
      json: false,
      invoke: (words) => `/${words}`,
      project_dir: engine.project_dir,
      path: (given) => resolve(engine.project_dir, given),
      findStore: async () => store,
      engine: async () => engine,
      resume: (_call, task, how) => beginHere(engine, task, how, say),
      worker: async (tasks) => {
        for (const task of tasks) engine.register(task);
        return engine;
      },
    });
    return { ok: true, data, lines: [...told, ...lines].map(harmless) };
  } catch (error) {
    if (!(error instanceof VibeError)) throw error;
    const { code } = error;
    const [message, hint] = [translate(error.message), translate(error.hint)];
    const lines = [...told, say('error.line', { code, message }), say('error.hint', { hint })];
    return { ok: false, error: { code, message, hint }, lines: lines.map(harmless) };
  }
}

/** The embedding process runs the task, with its registered code; the prompt does not wait for its end. */
async function beginHere(engine: Engine, task: string, how: Resuming, say: Say): Promise<Answer<Followed>> {
  const { file, begin, program } = how;
  if (program) {
    const { status } = await engine.reader.requireState(task);
    const data = { task, status: status as Followed['status'], output: null, error: null };
    const { line: command, cwd: dir } = program;
    return { data, lines: [say('resume.here'), say('conversation.command', { command, dir })] };
  }
  if (file !== undefined)
    throw new InvalidInputError('USAGE', say('resume.no_file_here'), {
      data: { file },
      hint: say('resume.no_file_here_hint'),
    });
  const { id } = await begin(engine);
  const data = { task: id, status: 'in_progress', output: null, error: null } as const;
  return { data, lines: [say('run.began', { task: withShortIds(id) })] };
}

const COMMON: Options = { help: { about: 'option.help', short: 'h' } };

function wordsOf(line: string, say: Say): string[] {
  const text = line.trim();
  if (text.startsWith('/')) return splitLine(text.slice(1));
  throw new InvalidInputError('USAGE', say('usage.not_a_command', { line: text }), {
    data: { line },
    hint: say('usage.help', { command: '/' }),
  });
}
