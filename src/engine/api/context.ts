/** What a task's function gets: everything it does through this is recorded. */
import type { CheckpointContext, Decision, Message, ToolOutput } from '../../checkpoint/record/record.ts';
import type { Committed } from '../../drift/commit.ts';
import type { WaitingData } from '../../task/data.ts';

export interface TaskContext {
  readonly id: string;
  /** The sub-agent this context belongs to; empty for the task itself. */
  readonly agent_path: string;
  /** Aborted when the task is being paused, cancelled or has lost its claim. */
  readonly signal: AbortSignal;

  /** Runs `fn` once and records its result; a resumed task gets the recorded result. */
  step<T>(
    name: string,
    fn: (step: StepContext) => Promise<T> | T,
    options?: StepOptions & { when?: undefined },
  ): Promise<T>;
  /** With a condition: undefined if it is false. */
  step<T>(
    name: string,
    fn: (step: StepContext) => Promise<T> | T,
    options: StepOptions,
  ): Promise<T | undefined>;

  /** Runs a sub-agent with a context of its own. Its result is recorded as a whole. */
  agent<T>(name: string, fn: (task: TaskContext) => Promise<T> | T): Promise<T>;
  agent<T>(name: string, options: AgentOptions, fn: (task: TaskContext) => Promise<T> | T): Promise<T>;

  /** Adds to the conversation, once. */
  message(role: Message['role'], content: unknown): Promise<void>;
  /** Records a tool's output; with a function, runs the tool, once, and records its result. */
  tool(output: ToolOutput): Promise<void>;
  tool<T>(
    name: string,
    input: unknown,
    run: (call: StepContext) => Promise<T> | T,
    options?: StepOptions,
  ): Promise<T>;
  decide(decision: Decision | string): Promise<void>;

  /** The files of the workspace: reserved, checked and merged as they are written. */
  readonly files: TaskFiles;
  /** Runs a command once, and records its result; a string goes to the shell. A checkpoint is made before it. */
  shell(command: string | readonly string[], options?: ShellOptions): Promise<ShellResult>;

  /**
   * Commits the files the task has changed, as they are, and no others; null when there is nothing to commit. Looks for
   * drift first, and pauses the task where upstream collides with it. The user's hooks run.
   */
  commit(message: string, options?: CommitOptions): Promise<Committed | null>;

  /** Waits for something from outside; survives the process. */
  waitFor<T = unknown>(kind: WaitingData['waiting_for'], options?: WaitOptions): Promise<T>;
  /** Sleeps until then, also across restarts. */
  sleep(ms: number): Promise<void>;

  progress(percent: number, note?: string | null): Promise<void>;
  /** The result of checking the work: `verification_results` of the completed task. The last one counts. */
  verified(results: unknown): Promise<void>;
  /** Makes a checkpoint now. Returns its id. */
  checkpoint(options?: { metadata?: Record<string, unknown> }): Promise<string>;

  /** Free-form data kept with the task: `step_variables` of its checkpoints. */
  set(name: string, value: unknown): Promise<void>;
  get<T = unknown>(name: string): Promise<T | undefined>;
  /** The conversation so far, trimmed as for a resumed agent unless `all` is set. */
  context(options?: { all?: boolean }): Promise<CheckpointContext>;
}

export interface StepContext {
  readonly id: string;
  /** From 1 on. */
  readonly attempt: number;
  /** Aborted at the step's time limit, and when the task stops at once. */
  readonly signal: AbortSignal;
  /** Set if this operation was in progress when the process died: it may already have taken effect. */
  readonly unknown: UnknownOutcome | null;
  /** What a hook added. */
  readonly added: Readonly<Record<string, unknown>>;
  /** Its `context`, or the input of a tool; after an interruption, as it was then. */
  readonly context: unknown;
}

export interface TaskFiles {
  /** The text, or null when there is no file. What was read is what a later `write` starts from. */
  read(path: string): Promise<string | null>;
  readBytes(path: string): Promise<Uint8Array | null>;
  /** FILE_CONFLICT when others changed the same lines since it was read, or since the task left it or began; others are merged. */
  write(path: string, content: string | Uint8Array, options?: FileEdit): Promise<FileWritten>;
  /** `edit` gets the text and returns the new one. */
  edit(
    path: string,
    edit: (text: string) => string | Uint8Array | Promise<string | Uint8Array>,
    options?: FileEdit,
  ): Promise<FileWritten>;
  delete(path: string, options?: FileEdit): Promise<FileWritten>;
}

export interface FileEdit {
  /** The intent of the change, for resolving conflicts. */
  readonly intent?: string;
}

export interface FileWritten {
  /** Relative to the workspace. */
  readonly path: string;
  /** `merged`: others had changed it, too. `resolved`: they had changed the same lines, and a resolver merged them. */
  readonly status: 'written' | 'unchanged' | 'merged' | 'resolved';
  /** SHA-256 of the current content; null if there is no file. */
  readonly hash: string | null;
  /** Who resolved it. */
  readonly by?: string;
}

export interface ShellOptions {
  /** Relative to the task's working directory. */
  readonly cwd?: string;
  /** In addition to the variables of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Its standard input. */
  readonly input?: string | Uint8Array;
  /** It is ended then, with every process that it started. */
  readonly timeout_ms?: number;
  /** For each output: the middle of a longer one is left out. Default: 1024. */
  readonly max_output_kb?: number;
  /** After an interruption: `run` it again (default), or `report` what is known of it. */
  readonly on_unknown?: 'run' | 'report';
}

export interface ShellResult {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
  /** If part of its middle was left out, a line says how much. */
  readonly stdout: string;
  readonly stderr: string;
  /** Bytes that were left out of each. */
  readonly left_out: { readonly stdout: number; readonly stderr: number };
  readonly timed_out: boolean;
  /** Set if it was interrupted and not run again. */
  readonly unknown: UnknownOutcome | null;
}

export interface CommitOptions {
  /** How long hooks may take; default: no limit. */
  readonly timeout_ms?: number;
}

export interface UnknownOutcome {
  readonly began_at: string;
  readonly attempt: number;
  readonly danger: Danger;
  /** What the operation did and did not do to files, where that is known. */
  readonly files: { readonly changed: readonly string[]; readonly unchanged: readonly string[] } | null;
  /** All files as they were before it, where there is a workspace. */
  readonly snapshot: string | null;
}

export interface StepOptions {
  /** The step is left out when this is false; decided once. */
  readonly when?: (() => boolean | Promise<boolean>) | undefined;
  readonly retry?: Partial<RetryOptions>;
  readonly timeout_ms?: number;
  /** Has an effect outside: a checkpoint is made before it, and its outcome is unknown after an interruption. */
  readonly dangerous?: Danger | boolean;
  /** What it works with: `step_context` of the checkpoints that name it. The input of a tool, default: none. */
  readonly context?: unknown;
}

export interface RetryOptions {
  /** In all, the first one included. */
  readonly attempts: number;
  readonly first_delay_ms: number;
  readonly factor: number;
  readonly max_delay_ms: number;
  /** 0 to 1: how much of each delay is left to chance. */
  readonly jitter: number;
  readonly when: (error: unknown, attempt: number) => boolean | Promise<boolean>;
}

export interface AgentOptions {
  /** The files it will change: reserved from when the work is assigned. */
  readonly files?: readonly string[];
  /** The files it will only read: others may read them, too, but nobody changes them in the meantime. */
  readonly reads?: readonly string[];
}

export interface WaitOptions {
  readonly prompt?: string;
  readonly timeout_ms?: number;
}

/** The kinds of danger that a checkpoint precedes. */
export const DANGERS = ['shell_command', 'file_change', 'external_api'] as const;
export type Danger = (typeof DANGERS)[number];
