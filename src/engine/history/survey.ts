/** Reads a journal around a cut: the memory up to it, and what comes after it. */
import { CorruptError } from '../../errors.ts';
import type { Storage } from '../../storage/contract.ts';
import { type Cut, isAfter } from '../task/cut.ts';
import type { Entry } from '../task/entries.ts';
import { foldJournal, type LiveEntry, type Reducer } from '../task/journal.ts';
import { emptyMemory, type Memory, remember } from '../task/memory.ts';
import type { Head } from '../task/records/head.ts';
import { collectMarks, type Marks } from './marks.ts';

export interface Survey {
  /** The memory at the cut. */
  readonly kept: Memory;
  /** The memory at the end. */
  readonly all: Memory;
  /** The last step or agent that ended before the cut failed: resuming from there runs it again. */
  readonly failedLast: boolean;
  /**
   * Operations in progress at the cut whose end is recorded after it. Without those that were interrupted before and started
   * again on top of their changes to files: those changes exist at the cut, too.
   */
  readonly settled: readonly string[];
  readonly after: After;
  /** Damage after the cut: what comes after it is not fully known. */
  readonly damage: CorruptError | null;
  /** The checkpoints in the journal. */
  readonly marks: Marks;
  /** The numbers of those after the cut, listed or not. */
  readonly marked_after: readonly number[];
}

/** An entry, or the one that is marked as the checkpoint with this number. */
export type CutAt = Cut | { readonly mark: number };

export interface After {
  /** How many entries, by kind. */
  readonly entries: Readonly<Partial<Record<Entry['t'], number>>>;
  readonly steps: readonly {
    readonly id: string;
    readonly name: string;
    readonly status: 'success' | 'failed';
  }[];
}

/** `others` read along; `wanted` is a checkpoint to find on the way, if the cut is not at one. */
export async function survey(
  storage: Storage,
  head: Head,
  cut: CutAt,
  others: readonly Reducer[] = [],
  wanted?: number,
): Promise<Survey> {
  const [kept, all] = [emptyMemory(), emptyMemory()];
  const marks = collectMarks(head, all, wanted ?? ('mark' in cut ? cut.mark : undefined));
  const entries: Partial<Record<Entry['t'], number>> = {};
  const steps: After['steps'][number][] = [];
  const marked_after: number[] = [];
  /** The files that each operation found when it began for the last time before the cut. */
  const found = new Map<string, string | undefined>();
  let failedLast = false;
  let damage: CorruptError | null = null;
  let passed = 'seq' in cut && cut.seq === 0;
  const comesAfter = (one: LiveEntry): boolean => ('mark' in cut ? passed : isAfter(head, cut, one));
  const isCut = ({ task, seq, entry }: LiveEntry): boolean =>
    'mark' in cut
      ? task === head.task_id && entry.mark?.n === cut.mark
      : task === cut.task && seq === cut.seq;
  const take: Reducer = (one) => {
    const { task, seq, entry } = one;
    remember(all, entry);
    if (!comesAfter(one)) {
      remember(kept, entry);
      if (entry.t === 'begin') found.set(entry.id, entry.snapshot);
      if (task === head.task_id) kept.seq = seq;
      failedLast = endedInFailure(entry) ?? failedLast;
      passed ||= isCut(one);
      return;
    }
    entries[entry.t] = (entries[entry.t] ?? 0) + 1;
    if (entry.mark && task === head.task_id) marked_after.push(entry.mark.n);
    const status = endedInFailure(entry) ? 'failed' : 'success';
    if (entry.t === 'step' || (entry.t === 'failure' && entry.final)) {
      steps.push({ id: entry.id, name: entry.name, status });
    }
  };
  try {
    await foldJournal(storage, head, [take, marks.take, ...others]);
  } catch (error) {
    if (!(error instanceof CorruptError && passed)) throw error;
    damage = error;
  }
  const settled = [...kept.begun]
    .filter(([id, { snapshot }]) => !all.begun.has(id) && snapshot === found.get(id))
    .map(([id]) => id);
  const after = { entries, steps };
  return { kept, all, failedLast, settled: damage ? [] : settled, after, damage, marks, marked_after };
}

/** Undefined for what is no end of a step or an agent. */
function endedInFailure(entry: Entry): boolean | undefined {
  if (entry.t === 'step') return false;
  if (entry.t === 'agent') return entry.status === 'failed';
  if (entry.t === 'failure' && entry.final) return true;
  return entry.t === 'retry' ? false : undefined;
}
