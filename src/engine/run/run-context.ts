/** What the parts of a running task share: its memory, its writer, its safe point. Parts are free functions over this. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { CheckpointContext } from '../../checkpoint/record/record.ts';
import { type Clock, isoNow } from '../../system/clock.ts';
import type { AgentOptions, RetryOptions, UnknownOutcome } from '../api/context.ts';
import type { Emit } from '../api/events.ts';
import type { Hooks } from '../api/hooks.ts';
import type { FileAccess } from '../files/file-access.ts';
import type { OwnWrite } from '../files/workspace-link.ts';
import type { RunDrift } from '../git/running.ts';
import type { EntryOf, FileSpan } from '../task/entries.ts';
import type { Memory } from '../task/memory.ts';
import { type Counters, escapeName } from '../task/occurrences.ts';
import type { Packer } from '../task/packing.ts';
import type { Answer } from './answers.ts';
import type { SafePoint } from './safe-point.ts';
import type { Operation, Writer } from './writing.ts';

export interface RunContext extends Counters, Packer {
  readonly task: string;
  readonly memory: Memory;
  readonly writer: Writer;
  readonly safePoint: SafePoint;
  readonly clock: Clock;
  readonly hooks: Hooks;
  readonly emit: Emit;
  /** Shows notices to a person. */
  notify(lines: readonly string[]): void;
  readonly retry: RetryOptions;
  /** Aborted when the task must stop at once. */
  readonly stopSignal: AbortSignal;
  /** Throws if the task no longer belongs to this run: called right before an external change. */
  assertOwned(): void;
  /** How many entries of each counted kind a scope had recorded when this run began. */
  readonly recorded: ReadonlyMap<string, number>;
  /** The current variables, packed. */
  readonly variables: Map<string, unknown>;
  /** Runs a step's code inside its tracing span. */
  around<T>(step: string, run: () => T): T;
  /** Operations in progress are shown. */
  began(operation: Operation): void;
  ended(id: string): void;
  /** Makes a checkpoint now; returns its id. */
  checkpointNow(metadata: Readonly<Record<string, unknown>>): Promise<string>;
  readContext(all: boolean): Promise<CheckpointContext>;
  /** The task is `waiting` until every wait has ended. */
  beginWaiting(wait: EntryOf<'wait'>): Promise<void>;
  endWaiting(): Promise<void>;
  /** Resolves when an answer to the wait has arrived, or it has timed out. */
  answerTo(wait: EntryOf<'wait'>): Promise<Answer>;
  /** Reserves an agent's files before it starts; returns a function that releases them. */
  reserve(agent: string, files: AgentOptions): Promise<() => Promise<void>>;
  /** The files as they are now; undefined without a workspace. `full`: also changes that no watch reports. */
  snapshot(options?: { readonly full?: boolean }): Promise<string | undefined>;
  /** The files at the newest checkpoint when the run began. */
  lastSnapshot(): Promise<string | undefined>;
  /** The files that differ between two snapshots. */
  changedBetween(from: string, to: string): Promise<readonly string[]>;
  /** Where they are. */
  readonly place: string | undefined;
  /** The part of the changes between two snapshots that this write made; null if it made all. */
  ownPart(from: string, to: string, wrote: OwnWrite): Promise<FileSpan['own'] | null>;
  /** Reads and writes files; undefined without a workspace. */
  readonly fileAccess: FileAccess | undefined;
  /** A file as the task itself left it, or else found it at its start; undefined if not known, or it is so still. */
  lastLeft(path: string, now: Uint8Array): Promise<Uint8Array | null | undefined>;
  readonly drift: RunDrift;
  readonly working_dir: string;
  /** What is known of an interrupted operation; `now` is the current snapshot. */
  settle(begin: EntryOf<'begin'>, now: string | undefined): Promise<UnknownOutcome>;
}

/** The step attempt in which code is running, if it is in one. */
export const insideStep: AsyncLocalStorage<{ readonly step: string; readonly attempt: number }> =
  new AsyncLocalStorage();

/**
 * The scope in which a name is counted. Calls inside a step belong to that attempt: a recorded step does not run again, so
 * nothing inside it may count for what comes after it.
 */
export function scopeOf(agent: string, name: string): string {
  const inside = insideStep.getStore();
  const within = inside ? `${inside.step}@${inside.attempt}>` : '';
  return `${agent.startsWith(within) ? '' : within}${agent}/${escapeName(name)}`;
}

/**
 * Holds the safe point while `work` runs. Calls inside a step have passed it already. Code whose task was lost in the
 * meantime does not continue: it stays pending forever, as at a closed safe point. `asks itself`: the work begins nothing
 * before it has asked `stay`.
 */
export async function throughSafePoint<T>(
  active: Pick<RunContext, 'safePoint'>,
  work: () => Promise<T>,
  asking?: 'asks itself',
): Promise<T> {
  const inside = insideStep.getStore() !== undefined;
  if (!inside) await active.safePoint.enter(asking);
  else if (!asking) await active.safePoint.stay();
  try {
    const result = await work();
    await active.safePoint.stay('at its end');
    return result;
  } catch (error) {
    if (active.safePoint.lost) await new Promise(() => {});
    throw error;
  } finally {
    if (!inside) active.safePoint.leave();
  }
}

/** `in` of an entry made now. */
export function withinStep(): { in?: { step: string; attempt: number } } {
  const inside = insideStep.getStore();
  return inside ? { in: { ...inside } } : {};
}

export function nowIso(active: { readonly clock: Clock }): string {
  return isoNow(active.clock);
}

/** Milliseconds since then, as they are stored: to the microsecond. */
export function millisecondsSince(began: number): number {
  return Math.round((performance.now() - began) * 1000) / 1000;
}
