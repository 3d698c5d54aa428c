/** One run of the command line, from its arguments to its exit code. */
import { resolve } from 'node:path';
import type { Prompter } from '../engine/api/prompter.ts';
import { maskSecrets } from '../engine/secrets/detect.ts';
import { VibeError } from '../errors.ts';
import { onEndSignal } from '../system/process/signals.ts';
import { sweepTempDirs } from '../system/user/temp.ts';
import { VERSION } from '../system/version.ts';
import { ansiPaint, noPaint, toScreen } from '../verbs/format/paint.ts';
import { withLocalTimes } from '../verbs/kit/amounts.ts';
import { EXIT, exitOf } from '../verbs/kit/exit.ts';
import { listHelp, verbHelp } from '../verbs/kit/help.ts';
import type { Mask } from '../verbs/kit/masked.ts';
import { type Frontend, perform } from '../verbs/kit/perform.ts';
import { allVerbs } from '../verbs/kit/registry.ts';
import { withShortIds } from '../verbs/kit/short.ts';
import type { Answer, LiveLine } from '../verbs/kit/verb.ts';
import { type Asked, readWords, wants } from '../verbs/kit/words.ts';
import { asLanguage, languageOf, meaningOf, type Say, speak } from '../verbs/text/choose.ts';
import { type Translate, translator } from '../verbs/text/translate.ts';
import { asCalled, type CliIo, programName, wantsColour } from './common/io.ts';
import { COMMON } from './common/options.ts';
import { openProject, type ProjectOptions, projectDir, requireDirectory } from './common/project.ts';
import { answerText, errorText } from './terminal/answers.ts';
import { asker, prompterOf } from './terminal/asking.ts';
import { liveOf, noLive } from './terminal/live.ts';
import { watching } from './terminal/watch.ts';
import { showWork } from './terminal/working.ts';
import { CLI_VERBS } from './verbs.ts';

export async function runCli(args: readonly string[], unguarded: CliIo): Promise<number> {
  const io = guarded(unguarded);
  const language = languageIn(args) ?? languageOf(io.env);
  const say = await speak(language);
  const json = wants('json', args, COMMON);
  const inWords = await translator(language);
  const translate: Translate = json ? inWords : (english) => withLocalTimes(withShortIds(inWords(english)));
  const helpFor = (words: string): string => `${programName(io)} ${words}`.trimEnd();
  const mask = wants('reveal', args, COMMON) ? asIs : maskSecrets;
  let command: string | null = null;
  try {
    if (wants('version', args, COMMON)) {
      io.out(`${VERSION}\n`);
      return EXIT.ok;
    }
    const asked = await readWords(args, { registry: CLI_VERBS, common: COMMON, say, helpFor });
    if (asked.kind === 'help') {
      const help = await helpOn(asked, say, programName(io));
      io.out(`${help.join('\n')}\n`);
      return EXIT.ok;
    }
    command = asked.verb.name;
    return await answer(asked, { ...io, say, translate, language, json, mask, asItIs: unguarded.out });
  } catch (error) {
    const meaning = error instanceof VibeError ? await meaningOf(error.code, language) : null;
    const debug = wants('debug', args, COMMON);
    const hint = (english: string): string => asCalled(translate(english), io);
    const text = errorText(error, { command, say, translate, hint, json, mask, meaning, debug });
    (json ? io.out : io.err)(text);
    return exitOf(error);
  }
}

const asIs: Mask = (text) => text;

/** Output also contains text of tasks, files, branches and others. */
function guarded(io: CliIo): CliIo {
  return { ...io, out: (text) => io.out(toScreen(text)), err: (text) => io.err(toScreen(text)) };
}

const maskedLine = (line: LiveLine, mask: Mask): LiveLine => ({
  ...line,
  set: (text) => line.set(text === null ? null : toScreen(mask(text))),
});

type Wanted = Extract<Asked, { kind: 'verb' }>;

async function answer(
  { verb, args, options }: Wanted,
  io: CliIo &
    Pick<Frontend, 'say' | 'translate' | 'language'> & {
      readonly json: boolean;
      readonly mask: Mask;
      readonly asItIs: CliIo['out'];
    },
): Promise<number> {
  const { say, translate, json, language, mask } = io;
  sweepTempDirs();
  const stop = new AbortController();
  const live = json ? noLive : liveOf(io);
  const now = io.clock?.now ?? (() => new Date());
  const work = live.work && maskedLine(live.work, mask);
  const working = showWork(work, { say, paint: !json && wantsColour(io) ? ansiPaint : noPaint, now });
  const passedOver = (dir: string): void => io.err(mask(`${say('project.of_others', { dir })}\n`));
  const invoke = (words: string): string => `${programName(io)} ${words}`;
  const project = openProject({
    dir: requireDirectory(projectDir(io.cwd, options.project as string | undefined, passedOver), say),
    ...asking(io.interactive, options['wait-for-answers'] === true, () =>
      prompterOf(io, say, live, (message) => mask(translate(message))),
    ),
    notify: (lines) => io.err(mask(lines.map((line) => `${translate(line)}\n`).join(''))),
    onProgress: working.hear,
    command: invoke,
  });
  const host: Frontend = {
    language,
    say,
    translate,
    paint: !json && wantsColour(io) ? ansiPaint : noPaint,
    live: live.line && maskedLine(live.line, mask),
    width: io.screen?.columns || null,
    now,
    onProgress: working.hear,
    signal: stop.signal,
    ask: asker(io, say, live, mask),
    interactive: io.interactive && !json,
    by: null,
    tell: (line) => (json ? undefined : io.out(`${mask(line)}\n`)),
    note: (line) => (json ? undefined : io.err(`${mask(line)}\n`)),
    json,
    invoke,
    project_dir: project.dir,
    path: (given) => resolve(io.cwd, given),
    findStore: project.findStore,
    engine: project.engine,
    worker: project.worker,
    resume: async (call, task, how) => {
      const { resumeHere } = await import('./running/resume-here.ts');
      return resumeHere(call, task, how);
    },
  };
  const once = (): Promise<Answer> => perform(verb, args, options, host);
  const show = (given: Answer): string => answerText(given, { command: verb.name, json, mask });
  const ignore = options.watch ? onEndSignal(() => stop.abort()) : undefined;
  try {
    if (options.watch)
      return await watching(once, (given) => toScreen(show(given)), {
        ...io,
        out: io.asItIs,
        signal: stop.signal,
      });
    const given = await once();
    working.end();
    const out = given.contents && io.screen === null ? io.asItIs : io.out;
    (given.aside && !json ? io.err : out)(show(given));
    return given.exit ?? EXIT.ok;
  } finally {
    ignore?.();
    working.end();
    await project.close();
  }
}

/** At a terminal, questions can be answered elsewhere, too; without one, only where the user wants to wait for that. */
function asking(
  interactive: boolean,
  waits: boolean,
  prompter: () => Prompter,
): Pick<ProjectOptions, 'prompter' | 'questions'> {
  if (interactive) return { prompter: prompter(), questions: 'anywhere' };
  return waits ? { questions: 'anywhere' } : { prompter: prompter(), questions: 'here' };
}

async function helpOn(asked: Extract<Asked, { kind: 'help' }>, say: Say, program: string): Promise<string[]> {
  const style = { say, prefix: `${program} `, common: COMMON };
  if ('verb' in asked) return verbHelp(asked.verb, style);
  return listHelp(await allVerbs(CLI_VERBS), style, asked.group ?? undefined);
}

/** The language has to be known before anything is said, so it is looked up ahead of reading the rest. */
function languageIn(args: readonly string[]): ReturnType<typeof asLanguage> {
  const own = args.slice(0, args.includes('--') ? args.indexOf('--') : undefined);
  const at = own.findIndex((arg) => arg === '--lang' || arg.startsWith('--lang='));
  if (at < 0) return undefined;
  return asLanguage(args[at]!.split('=')[1] ?? args[at + 1] ?? '');
}
