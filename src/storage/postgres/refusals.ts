/** What the server's functions refuse, as errors. */
import { OwnershipError, StaleWriteError, type VibeError } from '../../errors.ts';
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
        `The journal of task ${task} ends at ${actual.seq}, not at ${expected.seq}.`,
        {
          data,
          hint: 'Someone else wrote first. Read the entries after your position, then decide again.',
        },
      );
    }
    case 'STALE_RECORD': {
      const { category, key, expected, actual } = refusal;
      return new StaleWriteError(`The record ${category}/${key} has revision ${actual}, not ${expected}.`, {
        data,
        hint: 'Someone else wrote first. Read it again (get), then decide again. 0 means that it does not exist.',
      });
    }
  }
}

export function taskOwned(task: string, { holder, since, fence }: Owner): OwnershipError {
  return new OwnershipError('TASK_OWNED', `Task ${task} is owned by ${holder}.`, {
    data: { task, holder, since, fence },
    hint: 'Write with the fence of the claim, or wait until its owner is done or its lease ends.',
  });
}

/** `current`: the fence of whoever owns the task now; null when nobody does. */
export function fencedOut(task: string, fence: number, current: number | null): OwnershipError {
  return new OwnershipError('FENCED_OUT', `Fence ${fence} of task ${task} is no longer that of its owner.`, {
    data: { task, fence, current },
    hint: 'The lease ended, or another claim took over. Claim the task again and read its state anew.',
  });
}
