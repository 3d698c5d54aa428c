/** Refusals of the server's functions, as errors. */
import type { OwnershipError, VibeError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Owner, Position } from '../backend.ts';
import { fencedOut, staleJournal, staleRecord, taskOwned } from '../refusals.ts';

/** As the functions in sql/commit.ts build it. */
export type Refusal =
  | { code: 'TASK_OWNED'; task: string; holder: string; since: string; fence: number }
  | { code: 'FENCED_OUT'; task: string; fence: number; current: number | null }
  | { code: 'STALE_JOURNAL'; task: string; expected: Position; actual: Position }
  | { code: 'STALE_RECORD'; category: string; key: string; expected: number; actual: number };

export function refusalError(refusal: Refusal): VibeError {
  switch (refusal.code) {
    case 'TASK_OWNED':
      return leased(refusal.task, { ...refusal, since: new Date(refusal.since).toISOString() });
    case 'FENCED_OUT':
      return fencedOut(refusal.task, refusal.fence, refusal.current);
    case 'STALE_JOURNAL':
      return staleJournal(refusal.task, refusal.expected, refusal.actual);
    case 'STALE_RECORD':
      return staleRecord(refusal.category, refusal.key, refusal.expected, refusal.actual);
  }
}

export function leased(task: string, owner: Owner): OwnershipError {
  const hint = phrase`Wait until that process is done, or, if it died, until its lease ends.`;
  return taskOwned(task, owner, hint);
}
