/** Commits as parameters of the functions in sql/commit.ts, and their answers as receipts. */
import { hash } from 'node:crypto';
import type { VibeError } from '../../errors.ts';
import type { PreparedCommit, PreparedRecord } from '../backend.ts';
import type { Receipt } from '../contract.ts';
import { numberArray, textArray } from './arrays.ts';
import { type Batch, laneCall } from './lane.ts';
import { recordSeal } from './records.ts';
import { type Refusal, refusalError } from './refusals.ts';

/** With the owner of the claim that its fence belongs to, if any. */
export interface Claimed extends PreparedCommit {
  readonly owner: string | null;
}

export function batchFor(commits: readonly Claimed[]): Batch {
  const one = commits.length === 1;
  return { call: one ? ONE : SEVERAL, values: () => parameters(commits, one) };
}

/** In order; a refusal is the error as a value. */
export function receiptsOf(commits: readonly PreparedCommit[], answer: string): (Receipt | VibeError)[] {
  const answers = JSON.parse(answer) as Answer[];
  return commits.map(({ task, append }, i) => {
    const answer = answers[i]!;
    if ('refused' in answer) return refusalError(answer.refused);
    const { seq, hash, records } = answer;
    return {
      position: task === null ? null : (append?.end ?? { seq, hash }),
      records: records.map(recordReceipt),
    };
  });
}

export type RecordReceipt = readonly [revision: number, location: string, existed: boolean];

export function recordReceipt([revision, location, existed]: RecordReceipt): Receipt['records'][number] {
  return { revision, location, existed };
}

type Answer = { seq: number; hash: string; records: readonly RecordReceipt[] } | { refused: Refusal };

const parametersFrom3 = Array.from({ length: 20 }, (_, i) => `$${i + 3}`).join(', ');

/** Both take the same parameters: scalars for one commit, arrays for several. */
const ONE = laneCall(
  `done AS MATERIALIZED (SELECT '[' || $.commit_one(${parametersFrom3}) || ']' AS answer)`,
  'one',
);
const SEVERAL = laneCall(
  `done AS MATERIALIZED (SELECT $.commit_batch(${parametersFrom3}) AS answer)`,
  'several',
);

function parameters(commits: readonly Claimed[], asScalars: boolean): unknown[] {
  const [first] = commits;
  const numbers = (of: (commit: Claimed) => number | undefined) =>
    asScalars ? of(first!) : numberArray(commits.map(of));
  const texts = (of: (commit: Claimed) => string | null) =>
    asScalars ? of(first!) : textArray(commits.map(of));
  const flags = (of: (commit: Claimed) => boolean) =>
    asScalars ? of(first!) : `{${commits.map(of).join(',')}}`;
  const entries = commits.flatMap(({ append }) => append?.entries ?? []);
  const records = commits.flatMap((commit) => commit.records);
  return [
    numberArray(placesOf(records)),
    texts(({ task }) => task),
    numbers(({ fence }) => fence),
    texts(({ owner }) => owner),
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
 * The locks that writers of records outside tasks take, in order: few, so that no commit runs out of locks; two records that
 * share one only wait a little.
 */
function placesOf(records: readonly PreparedRecord[]): number[] {
  const places = records
    .filter(({ category }) => category !== 'tasks')
    .map(({ category, key }) => hash('sha256', `${category}/${key}`, 'buffer')[0]!);
  return [...new Set(places)].sort((a, b) => a - b);
}
