/** Whether a question is still asked: not once its asker has ended, or has lost the task. */
import { hostname } from 'node:os';
import { StaleWriteError } from '../../errors.ts';
import type { Storage } from '../../storage/contract.ts';
import { isAlive } from '../../system/process/alive.ts';
import {
  type QuestionRecord,
  questionsOf,
  questionWrite,
  type StoredQuestion,
} from '../task/records/questions.ts';

export async function isAsked(storage: Storage, task: string, record: QuestionRecord): Promise<boolean> {
  const { asker, answer, closed_at } = record;
  if (answer !== null || closed_at !== null || asker === null) return false;
  if (asker.fence !== null) return (await storage.owner(task))?.fence === asker.fence;
  return asker.host !== hostname() || isAlive(asker);
}

/** Those that wait for an answer now, oldest first. */
export async function askedNow(storage: Storage, task: string): Promise<QuestionRecord[]> {
  const open: QuestionRecord[] = [];
  for (const { record } of await questionsOf(storage, task))
    if (await isAsked(storage, task, record)) open.push(record);
  return open;
}

const DAY_MS = 86_400_000;

/** Closes the questions of processes that have ended, and removes those that nobody will ask about. */
export async function tidyQuestions(storage: Storage, task: string, now: Date): Promise<void> {
  const long_ago = new Date(now.getTime() - DAY_MS).toISOString();
  for (const one of await questionsOf(storage, task)) {
    const { record, revision } = one;
    const over = record.answer?.at ?? record.closed_at;
    if (over === null) {
      if (!(await isAsked(storage, task, record))) await withdraw(storage, task, one, now);
    } else if (over < long_ago && record.kind !== 'wait') {
      const { category, key } = questionWrite(task, record, revision);
      await unlessChanged(() =>
        storage.commit({ task: null, records: [{ category, key, remove: true, expect: revision }] }),
      );
    }
  }
}

/** An answer that came before stays; the versions of its file are no longer needed. */
export async function withdraw(
  storage: Storage,
  task: string,
  { record, revision }: StoredQuestion,
  now: Date,
): Promise<void> {
  const closed_at = record.answer ? null : now.toISOString();
  const closed = { ...record, closed_at, versions: null };
  await unlessChanged(() => storage.commit({ task: null, records: [questionWrite(task, closed, revision)] }));
}

async function unlessChanged(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof StaleWriteError)) throw error;
  }
}
