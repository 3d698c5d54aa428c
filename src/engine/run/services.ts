/** What a run of a task needs, and its interface to the caller that started it. */

import type { Summariser } from '../../checkpoint/context/summary.ts';
import type { Position } from '../../storage/contract.ts';
import type { TaskState } from '../../task/state.ts';
import type { Hooks } from '../api/hooks.ts';
import type { Services } from '../api/services.ts';
import type { Where } from '../files/directories.ts';
import type { WorkingDirectories, WorkingDirectory } from '../git/working-directories.ts';
import type { LookAt } from '../secrets/watch.ts';
import type { EntryOf } from '../task/entries.ts';
import type { Memory } from '../task/memory.ts';
import type { Head } from '../task/records/head.ts';
import type { InboxMessage } from '../task/records/inbox.ts';

import type { KnownCheckpoints } from './known-checkpoints.ts';

/** Further services for the parts that run tasks. */
export interface EngineServices extends Services {
  readonly hooks: Hooks;
  /** Sees every value of a task before it is stored. */
  readonly lookAt?: LookAt | undefined;
  /** Where tasks work. */
  readonly workingDirectories: WorkingDirectories;
  /** Whether the registered code of a task declares that it needs the tool. */
  readonly declares?: ((tool: string) => boolean) | undefined;
  readonly summariser?: Summariser | undefined;
  /** Set where runs may be traced. */
  readonly tracing?: Tracing | undefined;
}

/** The same for one task, whose place is known. */
export interface TaskServices extends EngineServices, WorkingDirectory {}

export async function servicesAt<S extends EngineServices>(
  services: S,
  task: Where,
): Promise<S & WorkingDirectory> {
  return { ...services, ...(await services.workingDirectories.of(task)) };
}

export interface Tracing {
  /** To be awaited before a run starts: an application may have set OpenTelemetry up since. */
  ready(): Promise<void>;
  readonly around: Around;
}

/** Runs the code of a task, or of one of its steps, inside its tracing span, so that spans made in there belong to it. */
export type Around = <T>(task: string, step: string | null, run: () => T) => T;

export type RunOutcome =
  | { readonly status: 'completed'; readonly output: unknown }
  | { readonly status: 'failed'; readonly error: unknown }
  | { readonly status: 'paused'; readonly reason: string }
  | { readonly status: 'cancelled'; readonly reason: string }
  /** A stopping worker has left the task, between two operations, to the next one. */
  | { readonly status: 'released'; readonly reason: string }
  /** An agent that runs elsewhere has ended its turn. */
  | { readonly status: 'idle'; readonly reason: string }
  /** The run ended, the task did not: it is as resumable as if the process had died. */
  | { readonly status: 'stopped'; readonly error: unknown };

/** A task as a run left it. */
export interface LeftTask {
  readonly head: Head;
  readonly state: TaskState;
  readonly memory: Memory;
  readonly position: Position;
  readonly checkpoints: KnownCheckpoints;
}

export interface Run {
  readonly task: string;
  readonly state: () => TaskState;
  readonly outcome: Promise<RunOutcome>;
  /** Stops at the next safe point. */
  pause(reason: string, instructions?: string | null, asked_by?: string): void;
  cancel(reason: string, asked_by?: string): void;
  /** The same, but the task stays as it is, for the next worker. */
  release(reason: string): void;
  /** The same between two turns of an agent that runs elsewhere: the task shows as idle. */
  becomeIdle(reason: string): void;
  /** What the next run starts from if nobody writes in between. */
  left(): LeftTask;
  /** Stops now; operations in progress are interrupted. */
  stop(error: unknown): void;
  /** What it waits for, oldest first. */
  waits(): EntryOf<'wait'>[];
  /** An answer from outside; true once it is recorded. */
  deliver(message: InboxMessage): boolean;
}
