/** Commits as parameters of the functions in sql-commit.ts, and their answers as receipts. */
import { hash } from 'node:crypto';
import type { VibeError } from '../../errors.ts';
import type { Receipt } from '../contract.ts';
import type { Prepared, PreparedRecord } from '../prepare.ts';
import { numberArray, textArray } from './arrays.ts';
import { type Batch, laneCall } from './lane.ts';
import { recordSeal } from './records.ts';
import { type Refusal, refusalError } from './refusals.ts';
import { COMMIT_STEP } from './sql-commit.ts';

export function batchFor(commits: readonly Prepared[]): Batch {
  const [only] = commits;
  if (only && commits.length === 1)
    return { call: ONE, values: () => parameters(commits, true), quick: stepOf(only) };
  return { call: SEVERAL, values: () => parameters(commits, false) };
}

/** In order; a refusal is the error as a value. */
export function receiptsOf(commits: readonly Prepared[], answer: string): (Receipt | VibeError)[] {
  const answers = JSON.parse(answer) as Answer[];
  return commits.map(({ task, append }, i) => {
    const answer = answers[i]!;
    if ('refused' in answer) return refusalError(answer.refused);
    const { seq, hash, records } = answer;
    return {
      position: task === null ? null : (append?.end ?? { seq, hash }),
      records: records.map(([revision, location, existed]) => ({ revision, location, existed })),
    };
  });
}

type Answer =
  | { seq: number; hash: string; records: [revision: number, location: string, existed: boolean][] }
  | { refused: Refusal };

const parametersFrom3 = Array.from({ length: 19 }, (_, i) => `$${i + 3}`).join(', ');

/** Both take the same parameters: scalars for one commit, arrays for several. */
const ONE = laneCall(
  `done AS MATERIALIZED (SELECT '[' || $.commit_one(${parametersFrom3}) || ']' AS answer)`,
  'one',
);
const SEVERAL = laneCall(
  `done AS MATERIALIZED (SELECT $.commit_batch(${parametersFrom3}) AS answer)`,
  'several',
);
const STEP = laneCall(COMMIT_STEP, 'step');

/** What a task writes after each of its steps, an entry and its state, is done in one statement. */
function stepOf({ task, fence, records, append }: Prepared): Batch['quick'] {
  const [record, ...moreRecords] = records;
  const [entry, ...moreEntries] = append?.entries ?? [];
  if (!append || !entry || moreEntries.length > 0 || !record || moreRecords.length > 0) return undefined;
  if (record.text === null || record.expect !== undefined) return undefined;
  const { category, key, text } = record;
  const { seq, hash } = append.after;
  return {
    call: STEP,
    values: () => [
      task,
      fence,
      seq,
      hash,
      entry.hash,
      entry.text,
      category,
      key,
      text,
      recordSeal(category, key, text),
    ],
  };
}

function parameters(commits: readonly Prepared[], asScalars: boolean): unknown[] {
  const [first] = commits;
  const numbers = (of: (commit: Prepared) => number | undefined) =>
    asScalars ? of(first!) : numberArray(commits.map(of));
  const texts = (of: (commit: Prepared) => string | null) =>
    asScalars ? of(first!) : textArray(commits.map(of));
  const flags = (of: (commit: Prepared) => boolean) => (asScalars ? of(first!) : commits.map(of));
  const entries = commits.flatMap(({ append }) => append?.entries ?? []);
  const records = commits.flatMap((commit) => commit.records);
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
    flags(
      ({ append, records }) => (append?.entries.length ?? 0) > 0 || records.some(({ text }) => text !== null),
    ),
    flags(({ cut, records }) => cut !== undefined || records.some(({ text }) => text === null)),
    numbers((commit) => commit.records.length),
    textArray(records.map(({ category }) => category)),
    textArray(records.map(({ key }) => key)),
    textArray(records.map(({ text }) => text)),
    textArray(
      records.map(({ category, key, text }) => (text === null ? null : recordSeal(category, key, text))),
    ),
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
