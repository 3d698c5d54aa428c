/** What the parts of a running task share: its memory, its writer, its safe point. Parts are free functions over this. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { CheckpointContext } from '../../checkpoint/record/record.ts';
import type { Clock } from '../../system/clock.ts';
import type { AgentOptions, RetryOptions, UnknownOutcome } from '../api/context.ts';
import type { Emit } from '../api/events.ts';
import type { Hooks } from '../api/hooks.ts';
import type { FileDesk } from '../files/desk.ts';
import type { FileWrite } from '../files/workspace-link.ts';
import type { RunDrift } from '../git/running.ts';
import type { EntryOf, FileSpan } from '../task/entries.ts';
import type { Memory } from '../task/memory.ts';
import { type Counters, escapeName } from '../task/occurrences.ts';
import type { Packer } from '../task/packing.ts';
import type { Answer } from './answers.ts';
import type { SafePoint } from './safe-point.ts';
import type { Writer } from './writer.ts';

export interface RunContext extends Counters, Packer {
  readonly task: string;
  readonly memory: Memory;
  readonly writer: Writer;
  readonly safePoint: SafePoint;
  readonly clock: Clock;
  readonly hooks: Hooks;
  readonly emit: Emit;
  /** Tells a person. */
  notify(lines: readonly string[]): void;
  readonly retry: RetryOptions;
  /** Aborted when the task must stop at once. */
  readonly stopSignal: AbortSignal;
  /** Throws where the task is no longer this run's: asked in the very moment before something changes outside. */
  assertOwned(): void;
  /** How many entries of each counted kind a scope had recorded when this run began. */
  readonly recorded: ReadonlyMap<string, number>;
  /** Variables as they are where this run is, packed. */
  readonly variables: Map<string, unknown>;
  /** Runs a step's code under what surrounds it. */
  around<T>(step: string, run: () => T): T;
  /** What is shown of a running task. */
  show(current: { agent: string; step: string | null }): void;
  /** A checkpoint now; its id. */
  checkpointNow(metadata: Readonly<Record<string, unknown>>): Promise<string>;
  readContext(all: boolean): Promise<CheckpointContext>;
  /** The task shows as waiting until every wait has ended. */
  beginWaiting(wait: EntryOf<'wait'>): Promise<void>;
  endWaiting(): Promise<void>;
  /** Resolves when an answer to the wait has come, or its time is up. */
  answerTo(wait: EntryOf<'wait'>): Promise<Answer>;
  /** Reserves an agent's files before it starts; answers how to let them go. */
  reserve(agent: string, files: AgentOptions): Promise<() => Promise<void>>;
  /** The files as they are now; undefined where nothing is known of files. `full`: also what no watch tells of. */
  snapshot(options?: { readonly full?: boolean }): Promise<string | undefined>;
  /** Where they are. */
  readonly place: string | undefined;
  /** Of what changed between two snapshots, what this write did; null when that is all. */
  ownPart(from: string, to: string, wrote: FileWrite | null): Promise<FileSpan['own'] | null>;
  /** Reads and writes files; undefined where nothing is known of files. */
  readonly desk: FileDesk | undefined;
  readonly drift: RunDrift;
  readonly working_dir: string;
  /** What is known of an operation that was cut off; `now` are the files as they are. */
  settle(begin: EntryOf<'begin'>, now: string | undefined): Promise<UnknownOutcome>;
}

/** The step attempt in which code is running, if it is in one. */
export const insideStep: AsyncLocalStorage<{ readonly step: string; readonly attempt: number }> =
  new AsyncLocalStorage();

/**
 * Under which a name is counted. What is called inside a step belongs to that attempt of it: a step that is remembered is
 * not run again, so nothing inside it may count for what comes after it.
 */
export function scopeOf(agent: string, name: string): string {
  const inside = insideStep.getStore();
  const within = inside ? `${inside.step}@${inside.attempt}>` : '';
  return `${agent.startsWith(within) ? '' : within}${agent}/${escapeName(name)}`;
}

/**
 * Passes the safe point for as long as `work` takes. What a step does within itself has passed it already. Code whose task was
 * lost meanwhile does not go on: it waits for good, as it does at a safe point that is closed.
 */
export async function throughSafePoint<T>(
  core: Pick<RunContext, 'safePoint'>,
  work: () => Promise<T>,
): Promise<T> {
  const inside = insideStep.getStore() !== undefined;
  await (inside ? core.safePoint.stay() : core.safePoint.enter());
  try {
    const result = await work();
    await core.safePoint.stay();
    return result;
  } catch (error) {
    if (core.safePoint.lost) await new Promise(() => {});
    throw error;
  } finally {
    if (!inside) core.safePoint.leave();
  }
}

/** `in` of an entry made now. */
export function withinStep(): { in?: { step: string; attempt: number } } {
  const inside = insideStep.getStore();
  return inside ? { in: { ...inside } } : {};
}

export function nowIso(core: { readonly clock: Clock }): string {
  return core.clock.now().toISOString();
}

/** Milliseconds since then, as they are stored: to the microsecond. */
export function millisecondsSince(began: number): number {
  return Math.round((performance.now() - began) * 1000) / 1000;
}
