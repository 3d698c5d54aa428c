/** One commit inside the transaction: everything is checked before anything is written. */
import { OwnershipError, type VibeError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { LocalLocks } from '../../system/locks/locks.ts';
import type { Position, PreparedCommit, Receipt } from '../backend.ts';
import { samePosition } from '../chain.ts';
import { staleJournal, staleRecord, taskOwned } from '../refusals.ts';
import type { Head, Heads } from './heads.ts';
import { SHARED } from './heads.ts';
import type { Journal } from './journal.ts';
import type { Located, Records } from './records.ts';

export interface Tables {
  readonly heads: Heads;
  readonly journal: Journal;
  readonly records: Records;
  readonly locks: LocalLocks;
}

export function applyCommit(tables: Tables, commit: PreparedCommit, now: string): Receipt | VibeError {
  const { heads, journal, records } = tables;
  const { task, append, cut } = commit;
  const head = heads.of(task ?? SHARED);
  const end = journal.end(head);
  const located = commit.records.map(({ category, key }) => records.locate(category, key));
  const refusal =
    (task === null ? null : refuseStranger(tables, head, commit.fence)) ?? refuseStale(commit, end, located);
  if (refusal) return refusal;

  const gone = commit.records.flatMap(({ category, key, text }, i) => {
    const there = located[i];
    return text === null && there ? { category, key, id: there.id, revision: there.revision } : [];
  });
  const removed = Math.max(head.revision, ...gone.map(({ revision }) => revision));
  const written = commit.records.map(({ category, key, text }, i) => {
    const there = located[i]!;
    const existed = there !== null;
    if (text === null) return { revision: 0, location: existed ? String(there.id) : '', existed };
    const revision = (there?.revision ?? head.revision) + 1;
    const record = { category, key, data: text, revision, updated_at: now };
    const free = there ? undefined : gone.pop();
    const id = free ? records.replace(free, record) : records.put(there, record);
    return { revision, location: String(id), existed };
  });
  for (const { category, key } of gone) records.remove(category, key);
  const entries = append?.entries ?? [];
  const isNew = head.id === null && commit.records.some(({ text }) => text !== null);
  const isFirst = head.seq === 0 && entries.length > 0; // from its first entry on, the task is listed
  let { id } = head;
  if (isNew || isFirst || removed > head.revision) {
    const at = isFirst ? append!.end : { seq: head.seq, hash: head.hash };
    id = heads.put({ ...head, ...at, fence: commit.fence ?? head.fence, revision: removed });
  }
  if (entries.length > 0) journal.append(id!, entries);
  if (cut && cut.from <= end.seq) journal.cut(head, { from: cut.from, to: Math.min(cut.to, end.seq) });
  return { position: task === null ? null : (append?.end ?? end), records: written };
}

/**
 * A fence must be held by this process and be the newest; without one the task must have no owner. The result holds for the
 * whole transaction: a new owner records its fence in the head before it begins, and has to wait for us to do so.
 */
export function refuseStranger(tables: Tables, head: Head, fence: number | undefined): VibeError | null {
  const { task } = head;
  if (fence === undefined) {
    const owner = tables.locks.owner(task);
    return owner && taskOwned(task, owner);
  }
  try {
    tables.locks.assertHeld(task, fence);
  } catch (error) {
    if (error instanceof OwnershipError) return error;
    throw error;
  }
  return head.id !== null && head.fence !== fence ? fencedOut(task, fence, head.fence) : null;
}

function refuseStale(
  commit: PreparedCommit,
  end: Position,
  located: readonly (Located | null)[],
): VibeError | null {
  const { append, task } = commit;
  if (append && !samePosition(append.after, end)) return staleJournal(task, append.after, end);
  for (const [i, { category, key, expect }] of commit.records.entries()) {
    const actual = located[i]?.revision ?? 0;
    if (expect !== undefined && expect !== actual) return staleRecord(category, key, expect, actual);
  }
  return null;
}

export function fencedOut(task: string, fence: number, current: number): OwnershipError {
  return new OwnershipError(
    'FENCED_OUT',
    phrase`Task ${task} is no longer owned by this process: claim ${fence} was followed by ${current}.`,
    {
      data: { task, fence, current },
      hint: phrase`Another process took over. Nothing was written: resume the task again.`,
    },
  );
}
