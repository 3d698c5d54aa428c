/** Why a commit is refused: the same errors, with the same data, from every back end. */
import { OwnershipError, StaleWriteError, type VibeError } from '../errors.ts';
import { phrase } from '../phrase.ts';
import type { Owner, Position, PreparedCommit } from './backend.ts';
import { samePosition } from './chain.ts';

/** The current state when a commit arrives. */
export interface Found {
  /** The owner of the task, or null. */
  readonly owner: Owner | null;
  /** Where its journal ends. */
  readonly position: Position;
  /** The revision of a record, 0 when there is none. */
  revisionOf(category: string, key: string): number;
}

/** The error to refuse it with; null when it fits. */
export function refusalOf(commit: PreparedCommit, found: Found): VibeError | null {
  const { task, fence, append, records } = commit;
  if (task !== null) {
    const refusal = strangerRefusal(task, fence, found.owner);
    if (refusal) return refusal;
    if (append && !samePosition(append.after, found.position))
      return staleJournal(task, append.after, found.position);
  }
  for (const { category, key, expect } of records) {
    const actual = expect === undefined ? undefined : found.revisionOf(category, key);
    if (actual !== expect) return staleRecord(category, key, expect!, actual!);
  }
  return null;
}

/** For a caller that may not write to the task, also outside commits: a fence must be the owner's. */
export function strangerRefusal(
  task: string,
  fence: number | undefined,
  owner: Owner | null,
): OwnershipError | null {
  if (fence === undefined) return owner && taskOwned(task, owner);
  return owner?.fence === fence ? null : fencedOut(task, fence, owner?.fence ?? null);
}

export function taskOwned(
  task: string,
  { holder, since, fence }: Owner,
  hint: string = phrase`Wait until that process is done.`,
): OwnershipError {
  return new OwnershipError('TASK_OWNED', phrase`Task ${task} is owned by ${holder}.`, {
    data: { task, holder, since, fence },
    hint,
  });
}

/** `current`: the fence of the task's owner; null if it has none. */
export function fencedOut(task: string, fence: number, current: number | null): OwnershipError {
  return new OwnershipError(
    'FENCED_OUT',
    phrase`Task ${task} is no longer owned by this process (claim ${fence}).`,
    {
      data: { task, fence, current },
      hint: phrase`The lease ended, or another process took over. Nothing was written: resume the task again.`,
    },
  );
}

export function staleJournal(task: string | null, expected: Position, actual: Position): StaleWriteError {
  return new StaleWriteError(
    phrase`The journal of task ${task} ends at ${actual.seq}, not at ${expected.seq}.`,
    {
      data: { task, expected, actual },
      hint: phrase`Another process wrote first. Nothing was written: try again.`,
    },
  );
}

export function staleRecord(
  category: string,
  key: string,
  expected: number,
  actual: number,
): StaleWriteError {
  return new StaleWriteError(phrase`The record ${category}/${key} has revision ${actual}, not ${expected}.`, {
    data: { category, key, expected, actual },
    hint: phrase`Another process wrote first. Nothing was written: try again.`,
  });
}
