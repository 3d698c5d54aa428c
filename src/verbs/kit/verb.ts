/**
 * A verb is one command of a person or an agent: a plain value that declares its arguments, its answer and its code. It
 * never prints, reads arguments or touches the process, so a terminal and an agent's prompt use the same ones.
 */
import type { Config } from '../../config/types.ts';
import type { Engine, TaskHandle } from '../../engine/engine.ts';
import type { AnyDefinition } from '../../engine/lifecycle/registry.ts';
import type { Reader } from '../../engine/reading/reader.ts';
import type { RunOutcome } from '../../engine/run/services.ts';
import type { Storage } from '../../storage/contract.ts';
import type { OnProgress } from '../../system/progress.ts';
import type { Paint } from '../format/paint.ts';
import type { TextKey } from '../text/catalogue.ts';
import type { Language, Say } from '../text/choose.ts';
import type { Translate } from '../text/translate.ts';
import type { Ids } from './ids.ts';
import type { Answered, Shape } from './shape.ts';

export interface Verb {
  /** One word, or two: `checkpoints list`. */
  readonly name: string;
  /** Other names for it. */
  readonly aliases?: readonly string[];
  readonly group: Group;
  /** Named after the verb: `checkpoints.list.summary`. */
  readonly summary: TextKey;
  /** In the order in which they are given. */
  readonly arguments: Arguments;
  /** By their flags, without the dashes. */
  readonly options: Options;
  /** Without the program's name. */
  readonly examples: readonly [string, ...string[]];
  /** What `data` of its answer looks like. */
  readonly data: Shape;
  /** It supports --watch. */
  readonly watch?: boolean;
  /** It needs a workspace: its engine gets one. */
  readonly files?: boolean;
  run(call: Call): Promise<Answer>;
}

/** What a list of verbs is divided into. */
export const GROUPS = ['run', 'look', 'change', 'care'] as const;
type Group = (typeof GROUPS)[number];

export interface Argument {
  readonly about: TextKey;
  /** What it names, for completion. */
  readonly of?: 'task' | 'checkpoint' | 'setting';
  readonly choices?: readonly string[];
  readonly optional?: true;
  /** All following words. */
  readonly many?: true;
}

export interface Option {
  readonly about: TextKey;
  /** The placeholder of its value in the help; a flag without one is on or off. */
  readonly value?: string;
  /** The flag that it stands for where no value follows; default: a value must. */
  readonly bare?: string;
  readonly choices?: readonly string[];
  /** Other ways to write a choice. */
  readonly accepts?: (text: string) => boolean;
  readonly number?: { readonly min: number; readonly max?: number; readonly whole?: true };
  /** May be given several times, or as a list with commas. */
  readonly many?: true;
  /** No list: a comma belongs to the value. */
  readonly whole?: true;
  /** A single letter. */
  readonly short?: string;
}

type Arguments = Readonly<Record<string, Argument>>;
export type Options = Readonly<Record<string, Option>>;

export interface Answer<S = unknown> {
  /** Plain JSON, as the verb's `data` describes it. */
  readonly data: S;
  /** The same for a person. */
  readonly lines: readonly string[];
  /** Default: 0. */
  readonly exit?: number;
  /** The standard output belongs to a command: the lines go to the error output. */
  readonly aside?: true;
  /** They are requested contents, and stay unchanged if there is no terminal. */
  readonly contents?: true;
}

/** What a verb has to work with. */
export interface Call<A = Readonly<Record<string, never>>, O = Readonly<Record<string, never>>> {
  readonly args: A;
  readonly options: O;
  readonly language: Language;
  readonly say: Say;
  /** Translates what the engine says in English. */
  readonly translate: Translate;
  readonly paint: Paint;
  /** Null where there is no terminal to show it on. */
  readonly live: LiveLine | null;
  /** Columns there are for a line; null where lines may be of any length. */
  readonly width: number | null;
  readonly now: () => Date;
  /** Called with the progress of long operations. */
  readonly onProgress: OnProgress;
  readonly signal: AbortSignal;
  readonly ask: Ask;
  /** A person is present while it runs, and can be asked at any time. */
  readonly interactive: boolean;
  /** Who is recorded as having done it; null for the user of this machine. */
  readonly by: string | null;
  readonly project_dir: string;
  /** The path, relative to the working directory. */
  path(given: string): string;
  /** Null where the project has no store yet; creates none. */
  findStore(): Promise<Store | null>;
  /** STORE_UNAVAILABLE where there is none. */
  store(): Promise<Store>;
  /** Of the same store. */
  reader(): Promise<Reader>;
  /** Default for `files`: as the verb declares. */
  engine(files?: boolean): Promise<Engine>;
  /** One that runs these tasks here, with their files; the store is created if there is none. */
  worker(tasks: readonly AnyDefinition[]): Promise<Engine>;
  /** Resumes a task as this environment does: at a terminal until its run has ended, elsewhere in the background. */
  resume(task: string, how: Resuming): Promise<Answer<Followed>>;
  /** The tasks' ids, to resolve a given one. */
  ids(): Promise<Ids>;
  /** Prints a line before the answer. */
  tell(line: string): void;
  /** The same on the error output. */
  note(line: string): void;
  /** Whether the answer should be one JSON document. */
  readonly json: boolean;
  /** The command line of another verb. */
  invoke(words: string): string;
}

export interface Resuming {
  /** Where its code is, when it moved. */
  readonly file: string | undefined;
  /** Answers every question with yes. */
  readonly yes: boolean;
  /** Where nobody can be asked here, questions wait for the answer of another process. */
  readonly 'wait-for-answers'?: boolean;
  /** The command or the file that the user has agreed to run, as it was shown. */
  readonly 'agree-to'?: string | undefined;
  /** It is started again from its beginning, and that was confirmed. */
  readonly again?: boolean;
  /** It is continued by the agent's own program. */
  readonly program?: Program;
  begin(engine: Engine): Promise<TaskHandle>;
}

/** An agent's own program that continues a task. */
export interface Program {
  /** As people call it. */
  readonly title: string;
  readonly command: readonly string[];
  /** The same as one would type it. */
  readonly line: string;
  readonly cwd: string;
  /** It needs no person at its screen. */
  readonly headless?: true;
}

/** A task that was resumed: how its run ended, or that it is in progress. */
export interface Followed {
  readonly task: string;
  readonly status: RunOutcome['status'] | 'in_progress';
  readonly output: unknown;
  readonly error: unknown;
}

/** A status line below all others, which the next one overwrites. */
export interface LiveLine {
  /** How many columns the terminal has now. */
  columns(): number;
  /** Null takes it away. */
  set(line: string | null): void;
}

export interface Store {
  readonly storage: Storage;
  readonly config: Config;
  readonly project_dir: string;
}

/** Asking a person. Where nobody can be asked, NEEDS_ANSWER names the flag that answers; also if the user leaves. */
export interface Ask {
  confirm(question: string, flag: string, signal?: AbortSignal): Promise<boolean>;
  text(question: string, flag: string, signal?: AbortSignal): Promise<string>;
  /** `recommended` is selected to begin with; default: the first. */
  choose(
    question: string,
    options: readonly Choice[],
    flag: string,
    recommended?: string,
    signal?: AbortSignal,
  ): Promise<string>;
}

interface Choice {
  readonly value: string;
  readonly label: string;
}

type Of<A> = A extends { many: true }
  ? readonly string[]
  : A extends { optional: true }
    ? string | undefined
    : string;

type OfOption<O> = O extends { many: true }
  ? readonly string[]
  : O extends { number: object }
    ? number | undefined
    : O extends { choices: readonly (infer C)[] }
      ? C | undefined
      : O extends { value: string }
        ? string | undefined
        : boolean;

type Given<A> = { readonly [K in keyof A]: Of<A[K]> };
type GivenOptions<O> = { readonly [K in keyof O]: OfOption<O[K]> };

interface Definition<A, O, S> extends Omit<Verb, 'summary' | 'arguments' | 'options' | 'data' | 'run'> {
  readonly arguments?: A;
  readonly options?: O;
  readonly data: S;
  run(call: Call<Given<A>, GivenOptions<O>>): Promise<Answer<Answered<S>>>;
}

type NoNames = Readonly<Record<never, never>>;

/** Types a verb by its declaration: it gets what it declares, and returns what it describes. */
export function verb<
  const A extends Arguments = NoNames,
  const O extends Options = NoNames,
  const S extends Shape = NoNames,
>(definition: Definition<A, O, S>): Verb {
  const { arguments: args = {}, run } = definition;
  const options = { ...definition.options, ...(definition.watch ? WATCH : {}) };
  const summary = `${definition.name.replaceAll(' ', '.')}.summary` as TextKey;
  // What `words.ts` reads is what the declarations say.
  return { ...definition, summary, arguments: args, options, run: (call) => run(call as never) };
}

const WATCH: Options = { watch: { about: 'option.watch' } };
