/** What the server's functions refuse, as errors. */
import { OwnershipError, StaleWriteError, type VibeError } from '../../errors.ts';

/** As `refusal` and `commit_batch` in the database build it. */
export type Refusal =
  | {
      code: 'TASK_OWNED' | 'FENCED_OUT';
      task: string;
      fence: number | null;
      owned: boolean;
      holder: string | null;
      current_fence: number | null;
    }
  | { code: 'STALE_WRITE'; task: string; seq: number; hash: string }
  | { code: 'STALE_WRITE'; category: string; key: string; revision: number };

export function refusalError(refusal: Refusal): VibeError {
  const { code, ...data } = refusal;
  if ('owned' in refusal) {
    const { task, holder } = refusal;
    return code === 'TASK_OWNED' ? taskOwned(task, holder, data) : fencedOut(task, data);
  }
  if ('key' in refusal) {
    return new StaleWriteError(
      `The record ${refusal.category}/${refusal.key} has revision ${refusal.revision}, not the expected one.`,
      { data, hint: 'Someone else wrote it first: get it again, and decide anew.' },
    );
  }
  return new StaleWriteError(
    `The journal of task ${refusal.task} ends at ${refusal.seq}, not at the given position.`,
    {
      data: { task: refusal.task, position: { seq: refusal.seq, hash: refusal.hash } },
      hint: 'Someone else appended first: read what is new, and append after position().',
    },
  );
}

export function taskOwned(
  task: string,
  holder: string | null,
  data: Record<string, unknown>,
): OwnershipError {
  return new OwnershipError('TASK_OWNED', `Task ${task} is owned by ${holder ?? 'another process'}.`, {
    data: { task, ...data },
    hint: 'Wait until its owner releases it or its lease ends, or ask the owner to do it.',
  });
}

export function fencedOut(task: string, data: Record<string, unknown> = {}): OwnershipError {
  return new OwnershipError('FENCED_OUT', `This process no longer owns task ${task}.`, {
    data: { task, ...data },
    hint: 'Its lease ended, or another process took the task over. Stop working on it, or claim it again.',
  });
}
