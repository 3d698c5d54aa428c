/** What the server's functions refuse, as errors. */
import { OwnershipError, StaleWriteError, type VibeError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Owner, Position } from '../contract.ts';

/** As the functions in sql-commit.ts build it. */
export type Refusal =
  | { code: 'TASK_OWNED'; task: string; holder: string; since: string; fence: number }
  | { code: 'FENCED_OUT'; task: string; fence: number; current: number | null }
  | { code: 'STALE_JOURNAL'; task: string; expected: Position; actual: Position }
  | { code: 'STALE_RECORD'; category: string; key: string; expected: number; actual: number };

export function refusalError(refusal: Refusal): VibeError {
  const { code, ...data } = refusal;
  switch (refusal.code) {
    case 'TASK_OWNED':
      return taskOwned(refusal.task, { ...refusal, since: new Date(refusal.since).toISOString() });
    case 'FENCED_OUT':
      return fencedOut(refusal.task, refusal.fence, refusal.current);
    case 'STALE_JOURNAL': {
      const { task, expected, actual } = refusal;
      return new StaleWriteError(
        phrase`The journal of task ${task} ends at ${actual.seq}, not at ${expected.seq}.`,
        {
          data,
          hint: phrase`Another process wrote first. Nothing was written: try again.`,
        },
      );
    }
    case 'STALE_RECORD': {
      const { category, key, expected, actual } = refusal;
      return new StaleWriteError(
        phrase`The record ${category}/${key} has revision ${actual}, not ${expected}.`,
        {
          data,
          hint: phrase`Another process wrote first. Nothing was written: try again.`,
        },
      );
    }
  }
}

export function taskOwned(task: string, { holder, since, fence }: Owner): OwnershipError {
  return new OwnershipError('TASK_OWNED', phrase`Task ${task} is owned by ${holder}.`, {
    data: { task, holder, since, fence },
    hint: phrase`Wait until that process is done, or, if it died, until its lease ends.`,
  });
}

/** `current`: the fence of whoever owns the task now; null when nobody does. */
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
