/** Commits: those that arrive while a batch is under way go together in the next one. */
import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { StoreError } from '../../errors.ts';
import type { Receipt } from '../contract.ts';
import type { Prepared, PreparedRecord } from '../prepare.ts';
import { numberArray, textArray } from './arrays.ts';
import type { Lane } from './lane.ts';
import { type Refusal, refusalError } from './refusals.ts';

export interface Committer {
  commit(prepared: Prepared): Promise<Receipt>;
  /** When every commit asked for so far has been answered. */
  idle(): Promise<void>;
}

interface Job {
  readonly prepared: Prepared;
  readonly size: number;
  readonly resolve: (receipt: Receipt) => void;
  readonly reject: (error: unknown) => void;
}

const MOST_COMMITS = 128;
const MOST_CHARACTERS = 8_000_000;

export function openCommitter(lane: Lane): Committer {
  const waiting: Job[] = [];
  let busy = false;
  let draining: Promise<void> = Promise.resolve();

  async function drain(): Promise<void> {
    busy = true;
    while (waiting.length > 0) {
      await send(takeBatch(waiting));
      // Whoever was just answered and commits again at once belongs into the next batch.
      await nextTurn();
    }
    busy = false;
  }

  async function send(batch: readonly Job[]): Promise<void> {
    let answers: Answer[];
    try {
      answers = JSON.parse(
        await lane.call(
          batch.length === 1 ? COMMIT_ONE : COMMIT_BATCH,
          parameters(batch.map((job) => job.prepared)),
        ),
      ) as Answer[];
    } catch (error) {
      if (batch.length > 1 && !(error instanceof StoreError)) {
        // The server failed at one of them; whose fault it was shows when each goes alone.
        for (const job of batch) await send([job]);
      } else {
        for (const job of batch) job.reject(error);
      }
      return;
    }
    batch.forEach((job, i) => {
      const answer = answers[i]!;
      if ('refused' in answer) job.reject(refusalError(answer.refused));
      else job.resolve(receiptOf(job.prepared, answer));
    });
  }

  return {
    commit: (prepared) =>
      new Promise((resolve, reject) => {
        waiting.push({ prepared, size: sizeOf(prepared), resolve, reject });
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

function sizeOf({ records, append }: Prepared): number {
  const recordSize = records.reduce((sum, { text }) => sum + (text?.length ?? 0), 0);
  return (append?.entries ?? []).reduce((sum, { text }) => sum + text.length, recordSize);
}

/** Both take the same parameters: scalars for one commit, arrays for several. */
const COMMIT_ONE = {
  name: 'commit_one',
  expression: `'[' || $.commit_one($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18) || ']'`,
};
const COMMIT_BATCH = {
  name: 'commit_batch',
  expression: '$.commit_batch($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)',
};

function parameters(batch: readonly Prepared[]): unknown[] {
  const [first] = batch;
  const numbers = (of: (commit: Prepared) => number | undefined) =>
    batch.length === 1 ? of(first!) : numberArray(batch.map(of));
  const texts = (of: (commit: Prepared) => string | null) =>
    batch.length === 1 ? of(first!) : textArray(batch.map(of));
  const entries = batch.flatMap(({ append }) => append?.entries ?? []);
  const records = batch.flatMap((commit) => commit.records);
  return [
    numberArray(placesOf(records)),
    texts(({ task }) => task),
    numbers(({ fence }) => fence),
    numbers(({ append }) => append?.after.seq),
    texts(({ append }) => append?.after.hash ?? null),
    numbers(({ cut }) => cut?.from),
    numbers(({ cut }) => cut?.to),
    numbers(({ append }) => append?.entries.length ?? 0),
    texts(({ append }) => (append && append.entries.length > 0 ? append.end.hash : null)),
    textArray(entries.map(({ hash }) => hash)),
    textArray(entries.map(({ text }) => text)),
    numbers((commit) => commit.records.length),
    textArray(records.map(({ category }) => category)),
    textArray(records.map(({ key }) => key)),
    textArray(records.map(({ text }) => text)),
    records.some(({ expect }) => expect !== undefined)
      ? numberArray(records.map(({ expect }) => expect))
      : null,
  ];
}

/**
 * The locks that writers of records outside tasks take, in order: few, so that no commit runs out of them; two records
 * that share one only wait a little.
 */
function placesOf(records: readonly PreparedRecord[]): number[] {
  const places = records
    .filter(({ category }) => category !== 'tasks')
    .map(({ category, key }) => hash('sha256', `${category}/${key}`, 'buffer')[0]!);
  return [...new Set(places)].sort((a, b) => a - b);
}

interface Done {
  seq: number;
  hash: string;
  /** Revision, row, whether it was there. */
  records: [number, string, boolean][];
}

type Answer = Done | { refused: Refusal };

function receiptOf(prepared: Prepared, { seq, hash, records }: Done): Receipt {
  return {
    position: prepared.task === null ? null : (prepared.append?.end ?? { seq, hash }),
    records: records.map(([revision, location, existed]) => ({ revision, location, existed })),
  };
}
