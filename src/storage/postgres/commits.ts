/** Commits: those that arrive while a batch is in progress go together in the next one. */
import { InvalidInputError, StoreError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Receipt } from '../contract.ts';
import { batchFor, type Claimed, receiptsOf } from './commit-calls.ts';
import type { Lane } from './lane.ts';

export interface Committer {
  commit(prepared: Claimed): Promise<Receipt>;
  /** Resolves when all commits so far have settled. */
  idle(): Promise<void>;
}

interface Job {
  readonly prepared: Claimed;
  readonly size: number;
  readonly resolve: (receipt: Receipt) => void;
  readonly reject: (error: unknown) => void;
}

const MOST_COMMITS = 128;
const MOST_CHARACTERS = 8_000_000;
/** A message to the server has less than a gigabyte, and a character may take three bytes. */
const LARGEST_COMMIT = 256 * 1024 * 1024;

export function openCommitter(lane: Lane): Committer {
  const waiting: Job[] = [];
  let busy = false;
  let draining: Promise<void> = Promise.resolve();

  async function drain(): Promise<void> {
    busy = true;
    while (waiting.length > 0) {
      await send(takeBatch(waiting));
      // A caller that commits again right after its answer belongs to the next batch.
      await new Promise(process.nextTick);
    }
    busy = false;
  }

  async function send(jobs: readonly Job[]): Promise<void> {
    const commits = jobs.map((job) => job.prepared);
    try {
      const receipts = receiptsOf(commits, await lane.send(batchFor(commits)));
      jobs.forEach((job, i) => {
        const receipt = receipts[i]!;
        if (receipt instanceof Error) job.reject(receipt);
        else job.resolve(receipt);
      });
    } catch (error) {
      if (jobs.length > 1 && !(error instanceof StoreError)) {
        // The server failed at one of them; sending each alone shows which.
        for (const job of jobs) await send([job]);
      } else {
        for (const job of jobs) job.reject(error);
      }
    }
  }

  return {
    commit: (prepared) =>
      new Promise((resolve, reject) => {
        const size = sizeOf(prepared);
        if (size > LARGEST_COMMIT) throw tooLarge(size);
        waiting.push({ prepared, size, resolve, reject });
        if (!busy) draining = drain();
      }),
    idle: () => draining,
  };
}

/** Takes from the front, in order of arrival; sorted by task, which keeps the order within a task (see sql-commit.ts). */
function takeBatch(waiting: Job[]): Job[] {
  let count = 0;
  let size = 0;
  for (const job of waiting) {
    size += job.size;
    if (count > 0 && (count === MOST_COMMITS || size > MOST_CHARACTERS)) break;
    count += 1;
  }
  const task = (job: Job) => job.prepared.task ?? '';
  return waiting.splice(0, count).sort((a, b) => (task(a) < task(b) ? -1 : task(a) > task(b) ? 1 : 0));
}

function sizeOf({ records, append }: Claimed): number {
  const recordSize = records.reduce((sum, { text }) => sum + (text?.length ?? 0), 0);
  return (append?.entries ?? []).reduce((sum, { text }) => sum + text.length, recordSize);
}

function tooLarge(size: number): InvalidInputError {
  return new InvalidInputError(
    'INVALID_COMMIT',
    phrase`A commit of ${size} characters is too large for PostgreSQL.`,
    {
      data: { size, limit: LARGEST_COMMIT },
      hint: phrase`Put large values into blobs, or make several commits of it.`,
    },
  );
}
