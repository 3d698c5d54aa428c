/**
 * Checkpoints as marks in a task's own journal. A mark says little: what the task was like there is read off the entries up
 * to it.
 */
import {
  type CheckpointRecord,
  type CheckpointTrigger,
  NO_CHANGES,
  sealCheckpoint,
} from '../../checkpoint/record/record.ts';
import { usualPriority } from '../../checkpoint/triggers.ts';
import { type LoadBlob, unpackValue } from '../../checkpoint/values/pack.ts';
import type { TaskStatus } from '../../task/status.ts';
import type { Entry } from '../task/entries.ts';
import type { LiveEntry, Reducer } from '../task/journal.ts';
import type { Mark } from '../task/mark.ts';
import { emptyMemory, type Memory, rememberDone } from '../task/memory.ts';
import type { Head } from '../task/records/head.ts';
import { checkpointBody, type Moment, type Remembered, stepAt } from './checkpoint-body.ts';

/** A mark, and what the task was like there. */
export interface Marked {
  readonly sequence: number;
  readonly created_at: string;
  readonly moment: Omit<Moment, 'file_changes'>;
  readonly remembered: Remembered;
  /** Packed. */
  readonly changes: unknown;
}

export interface Marks {
  readonly take: Reducer;
  /** Those that are listed, or all if these are wanted; oldest first. */
  listed(): readonly Marked[];
  /** The one that was wanted, listed or not. */
  found(): Marked | null;
  /** Whether a later one has taken it off the list, and all are not wanted. */
  isDropped(sequence: number): boolean;
  /** Whether a later one has taken it off the list. */
  isUnlisted(sequence: number): boolean;
  /** The highest number; 0 if there is none. */
  last(): number;
}

/** A number to be found, or all: by default those that are listed. */
export type Wanted = number | 'all' | undefined;

/**
 * Collects them while the journal is read; to be called after the memory has taken the entry. `alone`: the others are not
 * listed.
 */
export function collectMarks(
  { task_id }: Pick<Head, 'task_id'>,
  memory: Memory,
  wanted?: Wanted,
  alone = false,
): Marks {
  const listed = new Map<number, Marked>();
  const dropped = new Set<number>();
  const unlisted = new Set<number>();
  let status: TaskStatus = 'queued';
  let variables: Readonly<Record<string, unknown>> | undefined;
  let found: Marked | null = null;
  let last = 0;

  const drop = (n: number): void => {
    listed.delete(n);
    dropped.add(n);
  };

  const markedAt = ({ seq, hash, entry }: LiveEntry, mark: Mark): Marked => {
    const trigger = triggerOf(entry, mark);
    variables ??= Object.fromEntries(memory.variables);
    const { iteration, progress, context } = memory;
    const at = timeOf(entry);
    return {
      sequence: mark.n,
      created_at: at,
      moment: {
        sequence: mark.n,
        trigger,
        priority: mark.priority ?? usualPriority(trigger),
        at,
        journal: { seq, hash },
        status,
        agent: mark.agent ?? agentOf(entry),
        snapshot: mark.snapshot ?? snapshotOf(entry),
        metadata: mark.metadata ?? {},
        requires: mark.requires ?? {},
        error: mark.error,
      },
      remembered: { iteration, progress, context, variables, step: stepAt(memory, trigger) },
      changes: mark.changes ?? NO_CHANGES,
    };
  };

  return {
    take(one) {
      const { entry } = one;
      if (entry.t === 'status') status = entry.to as TaskStatus;
      if (entry.t === 'set') variables = undefined;
      const { mark } = entry;
      if (mark === undefined || one.task !== task_id) return;
      if (alone && mark.n !== wanted) return;
      const marked = markedAt(one, mark);
      listed.set(mark.n, marked);
      if (mark.n === wanted) found = marked;
      if (mark.n > last) last = mark.n;
      for (const below of mark.drops ?? []) {
        unlisted.add(mark.n - below);
        if (wanted !== 'all') drop(mark.n - below);
      }
    },
    listed: () => [...listed.values()],
    found: () => found,
    isDropped: (sequence) => dropped.has(sequence),
    isUnlisted: (sequence) => unlisted.has(sequence),
    last: () => last,
  };
}

/** The same with a memory of its own; a number that is wanted is looked for alone. */
export function markReader(head: Head, wanted?: Wanted): { readonly take: Reducer; readonly marks: Marks } {
  const memory = emptyMemory();
  const marks = collectMarks(head, memory, wanted, typeof wanted === 'number');
  const take: Reducer = (one) => {
    rememberDone(memory, one.entry);
    marks.take(one);
  };
  return { take, marks };
}

/** The checkpoint that a mark stands for, as it would be stored. */
export async function recordOf(head: Head, marked: Marked, load: LoadBlob): Promise<CheckpointRecord> {
  const { moment, remembered, changes } = marked;
  const file_changes = (await unpackValue(changes, load)) as CheckpointRecord['file_changes'];
  return sealCheckpoint(checkpointBody(head, remembered, { ...moment, file_changes }));
}

/** When the checkpoint was made: at the end of what the entry tells of. */
export function timeOf(entry: Timed): string {
  const ms = Math.round(entry.ms ?? 0);
  return ms > 0 ? new Date(Date.parse(entry.at) + ms).toISOString() : entry.at;
}

/** The times in an entry. */
export interface Timed {
  readonly at: string;
  readonly ms?: number | undefined;
}

/** The files that an entry tells of. */
export function snapshotOf(entry: Entry): string | undefined {
  if (entry.t === 'begin') return entry.snapshot;
  return entry.t === 'step' || entry.t === 'failure' ? entry.files?.to : undefined;
}

export function triggerOf(entry: Entry, mark: Mark): CheckpointTrigger {
  return (mark.by as CheckpointTrigger | undefined) ?? usualTrigger(entry);
}

/** What makes most checkpoints with such an entry. */
export function usualTrigger(entry: Entry): CheckpointTrigger {
  return entry.t === 'message' && entry.role === 'user' ? 'after_user_input' : 'after_step';
}

export function agentOf(entry: Entry): string {
  return 'agent' in entry ? entry.agent : '';
}
