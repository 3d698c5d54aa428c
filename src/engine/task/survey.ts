/** Reads a journal around a cut: the memory up to it, and what comes after it. */
import { CorruptError } from '../../errors.ts';
import type { Storage } from '../../storage/contract.ts';
import { type Cut, isAfter } from './cut.ts';
import type { Entry } from './entries.ts';
import { foldJournal, type Reducer } from './journal.ts';
import { emptyMemory, type Memory, remember } from './memory.ts';
import type { Head } from './records/head.ts';

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
}

export interface After {
  /** How many entries, by kind. */
  readonly entries: Readonly<Partial<Record<Entry['t'], number>>>;
  readonly steps: readonly {
    readonly id: string;
    readonly name: string;
    readonly status: 'success' | 'failed';
  }[];
}

/** `others` read along. */
export async function survey(
  storage: Storage,
  head: Head,
  cut: Cut,
  others: readonly Reducer[] = [],
): Promise<Survey> {
  const [kept, all] = [emptyMemory(), emptyMemory()];
  const entries: Partial<Record<Entry['t'], number>> = {};
  const steps: After['steps'][number][] = [];
  /** The files that each operation found when it began for the last time before the cut. */
  const found = new Map<string, string | undefined>();
  let failedLast = false;
  let damage: CorruptError | null = null;
  let passed = cut.seq === 0;
  const take: Reducer = ({ task, seq, entry }) => {
    remember(all, entry);
    if (!isAfter(head, cut, { task, seq })) {
      remember(kept, entry);
      if (entry.t === 'begin') found.set(entry.id, entry.snapshot);
      if (task === head.task_id) kept.seq = seq;
      failedLast = endedInFailure(entry) ?? failedLast;
      passed ||= task === cut.task && seq === cut.seq;
      return;
    }
    entries[entry.t] = (entries[entry.t] ?? 0) + 1;
    const status = endedInFailure(entry) ? 'failed' : 'success';
    if (entry.t === 'step' || (entry.t === 'failure' && entry.final)) {
      steps.push({ id: entry.id, name: entry.name, status });
    }
  };
  try {
    await foldJournal(storage, head, [take, ...others]);
  } catch (error) {
    if (!(error instanceof CorruptError && passed)) throw error;
    damage = error;
  }
  const settled = [...kept.begun]
    .filter(([id, { snapshot }]) => !all.begun.has(id) && snapshot === found.get(id))
    .map(([id]) => id);
  return { kept, all, failedLast, settled: damage ? [] : settled, after: { entries, steps }, damage };
}

/** Undefined for what is no end of a step or an agent. */
function endedInFailure(entry: Entry): boolean | undefined {
  if (entry.t === 'step') return false;
  if (entry.t === 'agent') return entry.status === 'failed';
  if (entry.t === 'failure' && entry.final) return true;
  return entry.t === 'retry' ? false : undefined;
}
