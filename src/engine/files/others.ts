/** What other tasks did to the same files in the meantime, from their journals. */
import { answering, isDamage } from '../../errors.ts';
import { loadState } from '../../persistence/state-records.ts';
import type { Storage } from '../../storage/contract.ts';
import { everyTask } from '../../storage/walk.ts';
import { type Entry, parseEntry } from '../task/entries.ts';
import { type Head, loadHead } from '../task/records/head.ts';
import type { During } from './spans.ts';

export interface OthersSpan {
  readonly from: string;
  readonly to: string;
  /** Which files it would change was not known in advance: changes of a third task may be included. */
  readonly doubtful: boolean;
  readonly during: During;
}

/**
 * Oldest first. `during` covers all that is asked about; what was rolled back since happened nevertheless. Only the newest
 * `most` tasks are read: a store may have thousands.
 */
export async function othersIn(
  storage: Storage,
  task: string,
  place: string,
  during: During,
  most = Number.POSITIVE_INFINITY,
): Promise<OthersSpan[]> {
  const found: OthersSpan[] = [];
  const lineage = (await loadHead(storage, task))?.lineage ?? [];
  for await (const other of tasksAtWork(storage, during, most)) {
    if (other !== task) await addSpans(storage, other, sharedWith(lineage, other), place, found);
  }
  return found
    .filter((span) => overlaps(span.during, during))
    .sort((a, b) => a.during.since - b.during.since);
}

export function overlaps(a: During, b: During, slack = SLACK_MS): boolean {
  return a.since <= endOf(b, slack) && b.since <= endOf(a, slack);
}

function endOf({ until, by = Number.POSITIVE_INFINITY }: During, slack: number): number {
  return Math.max(until, Math.min(until + slack, by));
}

/** The snapshot is taken after an operation has ended, which takes time. */
const SLACK_MS = 5_000;
/** The state of a running task is written only now and then. */
const STATE_AGE_MS = 60_000;

async function* tasksAtWork(
  storage: Storage,
  { since, until }: During,
  most: number,
): AsyncGenerator<string> {
  let left = most;
  for await (const task of everyTask(storage, { reverse: true, limit: Math.min(most, 1000) })) {
    // Damage in another task must not block this one.
    const state = await loadState(storage, task).catch(answering(isDamage, null));
    const isOld = !state || Date.parse(state.updated_at) + STATE_AGE_MS < since;
    if (!isOld && Date.parse(state.created_at) <= until + SLACK_MS) yield task;
    left -= 1;
    if (left === 0) return;
  }
}

/** A fork's own journal begins where it left the other's. */
function sharedWith(lineage: Head['lineage'], other: string): number {
  return lineage.find(({ task }) => task === other)?.to ?? 0;
}

async function addSpans(
  storage: Storage,
  task: string,
  after: number,
  place: string,
  found: OthersSpan[],
): Promise<void> {
  /** Operations of which it is known which files they change. */
  const exact = new Set<string>();
  const take = (entry: Entry): void => {
    if (entry.t === 'begin' && entry.paths) exact.add(entry.id);
    // A rollback or redo changed the same files once more, a take others.
    const moves = entry.t === 'rollback' || entry.t === 'redo' || entry.t === 'take';
    if (moves && entry.changed?.place === place) {
      const { from, to } = entry.changed;
      const at = Date.parse(entry.at);
      found.push({ from, to, doubtful: false, during: { since: at, until: at } });
    }
    if ((entry.t !== 'step' && entry.t !== 'failure') || entry.files?.place !== place) return;
    const since = Date.parse(entry.at);
    const doubtful = !exact.has(entry.id);
    const { from, to } = (doubtful ? undefined : entry.files.own) ?? entry.files;
    found.push({ from, to, doubtful, during: { since, until: since + entry.ms } });
  };
  try {
    for await (const { seq, data } of storage.read(task, { from: after + 1 })) take(parseEntry(data, seq));
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
}
