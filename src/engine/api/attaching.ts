/** How a session of an agent that runs elsewhere, in its own program, is recorded as a task. */
import type { VibeError } from '../../errors.ts';
import type { RecordedEvent, UnfinishedCall } from './agent-events.ts';
import type { Danger } from './context.ts';

export interface SessionName {
  /** The agent's program, such as `claude`. */
  readonly client: string;
  /** Its own id of the session. */
  readonly session: string;
}

export interface AttachOptions extends SessionName {
  /** The task to continue. Default: the newest one of the session, unless that has ended; otherwise a new one. */
  readonly task?: string;
  /** The name of a new task; default: its first prompt. */
  readonly task_name?: string;
  readonly working_dir?: string;
  /** Noted with the session, such as where its transcript is. */
  readonly details?: Readonly<Record<string, unknown>>;
  /**
   * How long an answer may wait for a look at the files that a command changed. If that took longer the last time, the result
   * is recorded first, and the files are looked at before the next event; default: 100.
   */
  readonly patience_ms?: number;
  /** What kind of danger a tool is where its call does not say; default: every tool has external effects. */
  readonly danger?: (tool: string, input: unknown) => Danger;
}

export interface Attached {
  /** Null until something is recorded. */
  readonly task: string | null;
  /**
   * Records what happened; on disk when it resolves. Returns why a tool call is refused: a hook vetoed it, another agent is
   * changing one of its files, or the task was paused or cancelled. A turn resumes a paused task, and after one that has
   * ended begins a new one.
   */
  record(event: RecordedEvent): Promise<VibeError | null>;
  /**
   * Whether a person lets a call run that is not recorded yet; null until somebody has answered, in any process. The task
   * waits for it, also after this process has ended.
   */
  approval(call: string, prompt: string): Promise<Approval | null>;
  /** What it found when it continued; nothing once it was asked for. */
  found(): Promise<FoundByAgent>;
  /** The turn has ended: the task is idle, its files are free, and others may change it. The next event continues it. */
  endTurn(): Promise<void>;
  /** The session has ended: the same, also for a turn that an earlier process was recording when it was killed. */
  leave(): Promise<void>;
  /** The same as `endTurn`; nothing more is recorded. */
  close(): Promise<void>;
}

export interface Approval {
  readonly allowed: boolean;
  readonly by: string | null;
}

/** What an agent finds when it continues. */
export interface FoundByAgent {
  /** Calls that were cut off with an earlier process: they may have had their effect. */
  readonly unfinished: readonly UnfinishedCall[];
  /** Files that others changed since its last checkpoint. */
  readonly changed: readonly string[];
}

/** Sessions of agents inside a command that this process runs as a task. */
export interface SessionsWithin {
  readonly task: string;
  /** Another session of the command. */
  attach(): Attached;
  /** The command has ended, and every session with it. */
  end(): Promise<void>;
}
