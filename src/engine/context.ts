/** What a task's function is given: everything it does through this is remembered. */
import type { CheckpointContext, Decision, Message, ToolOutput } from '../checkpoint/record.ts';
import type { WaitingData } from '../task/data.ts';
import type { Danger } from './entries.ts';

export interface TaskContext {
  readonly id: string;
  /** The sub-agent this context belongs to; empty for the task itself. */
  readonly agent_path: string;
  /** Aborted when the task is being paused, cancelled or has lost its claim. */
  readonly signal: AbortSignal;

  /** Runs `fn` once and remembers what it gives; a resumed task gets the remembered result. */
  step<T>(
    name: string,
    fn: (step: StepContext) => Promise<T> | T,
    options?: StepOptions & { when?: undefined },
  ): Promise<T>;
  /** With a condition: undefined when it does not hold. */
  step<T>(
    name: string,
    fn: (step: StepContext) => Promise<T> | T,
    options: StepOptions,
  ): Promise<T | undefined>;

  /** Runs a sub-agent with a context of its own. Its result is remembered as a whole. */
  agent<T>(name: string, fn: (task: TaskContext) => Promise<T> | T): Promise<T>;
  agent<T>(name: string, options: AgentOptions, fn: (task: TaskContext) => Promise<T> | T): Promise<T>;

  /** Adds to the conversation, once. */
  message(role: Message['role'], content: unknown): Promise<void>;
  /** Records a tool's output; with a function, runs the tool, once, and records what came of it. */
  tool(output: ToolOutput): Promise<void>;
  tool<T>(
    name: string,
    input: unknown,
    run: (call: StepContext) => Promise<T> | T,
    options?: StepOptions,
  ): Promise<T>;
  decide(decision: Decision | string): Promise<void>;

  /** Waits for something from outside; survives the process. */
  waitFor<T = unknown>(kind: WaitingData['waiting_for'], options?: WaitOptions): Promise<T>;
  /** Sleeps until then, also across restarts. */
  sleep(ms: number): Promise<void>;

  progress(percent: number, note?: string | null): Promise<void>;
  /** What checking the work came to: `verification_results` of the completed task. The last one counts. */
  verified(results: unknown): Promise<void>;
  /** A checkpoint now. Answers its id. */
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
  /** Set when this operation was under way when the process died: it may have had its effect already. */
  readonly unknown: UnknownOutcome | null;
  /** What a hook added. */
  readonly added: Readonly<Record<string, unknown>>;
}

export interface UnknownOutcome {
  readonly began_at: string;
  readonly attempt: number;
  readonly danger: Danger;
  /** What the operation did and did not do to files, where that is known. */
  readonly files: { readonly changed: readonly string[]; readonly unchanged: readonly string[] } | null;
}

export interface StepOptions {
  /** The step is left out when this is false; decided once. */
  readonly when?: (() => boolean | Promise<boolean>) | undefined;
  readonly retry?: Partial<RetryOptions>;
  readonly timeout_ms?: number;
  /** Has an effect outside: a checkpoint is made before it, and its outcome is unknown when it is cut off. */
  readonly dangerous?: Danger | boolean;
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
  /** The files it will touch: reserved when the work is assigned. */
  readonly files?: readonly string[];
}

export interface WaitOptions {
  readonly prompt?: string;
  readonly timeout_ms?: number;
}
