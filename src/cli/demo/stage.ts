/** Plays the demo: shows each command as a person would type it, runs it, and shows its output as it comes. */
import { delimiter, dirname, join } from 'node:path';
import { VibeError } from '../../errors.ts';
import { runGit } from '../../system/git/git.ts';
import { type Child, startNode } from '../../system/process/child.ts';
import type { Call } from '../../verbs/kit/verb.ts';
import { languageOf } from '../../verbs/text/choose.ts';

export interface Stage {
  /** The working copy that commands are called in. */
  readonly repository: string;
  /** The title of what comes next. */
  announce(title: string): void;
  /** A line between what is run. */
  narrate(line: string): void;
  /** A change that a person makes to a file: lines out, lines in. */
  change(out: readonly string[], into: readonly string[]): void;
  /** The process is killed: no warning, no clean-up. */
  kill(playing: Playing): void;
  /** What can be said at the end. */
  conclude(line: string): void;
  /** Starts one of our own commands; the note stands behind it. */
  start(words: readonly string[], note?: string): Promise<Playing>;
  /** Runs one of our own commands to its end; returns the lines it printed. Fails unless it exits with 0. */
  run(words: readonly string[], note?: string): Promise<readonly string[]>;
  /** The same without showing what it says. */
  quietly(words: readonly string[]): Promise<void>;
  /** The data of its JSON answer; not shown at all. */
  ask<T>(words: readonly string[]): Promise<T>;
  /** Runs git in a folder, without showing it. */
  git(args: readonly string[], cwd?: string): Promise<string>;
  /** Shows a command that something else than ours carries out, and what it says. */
  show(command: string, lines: readonly string[]): void;
  /** Ends what is in progress. */
  stop(): void;
  stopped(): boolean;
}

interface Playing extends Pick<Child, 'pid' | 'ended' | 'kill'> {
  readonly lines: readonly string[];
  /** Waits for a line in which this is; fails when it ends without one. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
}

type Teller = Pick<Call, 'say' | 'tell' | 'paint' | 'language'>;

export function openStage(folder: string, { say, tell, paint, language }: Teller): Stage {
  const repository = join(folder, 'shop');
  const env = cleanEnvironment(folder);
  const lang = languageOf(process.env) === language ? [] : ['--lang', language];
  const playing = new Set<Child>();
  let stopped = false;

  const prompt = (command: string, note = ''): void =>
    tell(`${paint.dim('$')} ${paint.bold(command)}${paint.dim(note)}`);
  const indented = (line: string): string => (line === '' ? '' : `  ${line.replace(/^✓/, paint.good('✓'))}`);
  const show = (command: string, lines: readonly string[]): void => {
    prompt(command);
    for (const line of lines) tell(indented(line));
  };

  const launch = async (words: readonly string[], tellLine: (line: string) => void): Promise<Playing> => {
    const lines: string[] = [];
    const waiting = new Set<() => void>();
    const hear = (line: string): void => {
      lines.push(line);
      tellLine(line);
      for (const look of waiting) look();
    };
    const child = await startNode(process.argv[1]!, words, { cwd: repository, env, hear });
    playing.add(child);
    void child.ended.then(() => playing.delete(child));
    const until = (pattern: RegExp): Promise<RegExpExecArray> =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = lines.map((line) => pattern.exec(line)).find((match) => match !== null);
          if (found) resolve(found);
        };
        waiting.add(look);
        look();
        void child.ended.then(() => reject(failed(say('demo.ended_early', { command: typed(words) }), say)));
      });
    return { ...child, lines, until };
  };

  const ended = async (words: readonly string[], { ended, lines }: Playing): Promise<readonly string[]> => {
    const { code } = await ended;
    if (code === 0) return lines;
    throw failed(say('demo.command_failed', { command: typed(words), lines: lines.join(' ') }), say);
  };

  const start: Stage['start'] = (words, note) => {
    const all = [...words, ...lang];
    prompt(typed(all), note === undefined ? '' : `   # ${note}`);
    return launch(all, (line) => tell(indented(line)));
  };

  return {
    repository,
    announce(title) {
      tell('');
      tell(paint.warn(title));
    },
    narrate: tell,
    change(out, into) {
      for (const line of out) tell(paint.bad(`  - ${line}`));
      for (const line of into) tell(paint.good(`  + ${line}`));
    },
    kill(running) {
      tell(`${paint.dim('$')} ${paint.bad(`kill -9 ${running.pid}`)}`);
      running.kill('SIGKILL');
    },
    conclude: (line) => tell(paint.good(line)),
    show,
    start,
    run: async (words, note) => ended(words, await start(words, note)),
    async quietly(words) {
      prompt(typed(words));
      await ended(words, await launch(words, () => {}));
    },
    async ask<T>(words: readonly string[]) {
      const lines = await ended(words, await launch([...words, '--json'], () => {}));
      return (JSON.parse(lines.join('\n')) as { data: T }).data;
    },
    async git(args, cwd = repository) {
      const { code, output, errors } = await runGit(cwd, args, { network: true, env: { HOME: env.HOME! } });
      if (code === 0) return output.toString('utf8').trim();
      throw failed(say('demo.command_failed', { command: `git ${args.join(' ')}`, lines: errors }), say);
    },
    stop() {
      stopped = true;
      for (const child of playing) child.kill('SIGKILL');
    },
    stopped: () => stopped,
  };
}

export function failed(what: string, say: Call['say']): VibeError {
  return new VibeError('CORRUPT', say('demo.failed', { what }), { hint: say('demo.failed_hint') });
}

/** As it is typed in a shell. */
function typed(words: readonly string[]): string {
  const quoted = words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word}'`));
  return ['vibe-engine', ...quoted].join(' ');
}

/** Nothing of the user's own settings, ours or git's, changes what is shown; and `node` is the one that runs this. */
function cleanEnvironment(folder: string): Record<string, string | undefined> {
  const own = Object.entries(process.env).filter(([name]) => !/^(VIBE_ENGINE_|GIT_|npm_|XDG_)/.test(name));
  const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
  return { ...Object.fromEntries(own), PATH, HOME: folder, USERPROFILE: folder };
}
