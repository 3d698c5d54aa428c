/**
 * Turns a commit into what back ends write: everything checked and encoded, before anything is touched. Back ends see
 * only prepared commits, so they refuse the same things in the same words.
 */
import { InvalidInputError } from '../errors.ts';
import { phrase } from '../phrase.ts';
import type { PreparedAppend, PreparedCommit, PreparedRecord } from './backend.ts';
import { next } from './chain.ts';
import type { Commit, Position, RecordWrite } from './contract.ts';
import { assertCategory, assertKey, assertTask, taskOfRecord } from './keys.ts';
import { encode } from './serialize.ts';

const HASH = /^[0-9a-f]{64}$/;

export function prepareCommit(commit: Commit): PreparedCommit {
  assertObject(commit, 'A commit');
  const { task, fence, cut, append, records = [] } = commit;
  if (task !== null && typeof task !== 'string')
    refuse(
      phrase`task is neither a task id nor null.`,
      phrase`Name the task, or give null for records outside tasks.`,
    );
  if (task !== null) assertTask(task);
  if (fence !== undefined && !isCount(fence))
    refuse(
      phrase`fence is not a fence.`,
      phrase`Give the fence of the claim, or leave it out when there is none.`,
    );
  if (task === null && (append !== undefined || cut !== undefined || fence !== undefined)) {
    refuse(phrase`append, cut and fence need a task.`, phrase`Name the task the commit concerns.`);
  }
  if (cut !== undefined) assertObject(cut, 'cut');
  if (cut && !(isCount(cut.from) && isCount(cut.to) && cut.from <= cut.to)) {
    refuse(
      phrase`cut needs 1 <= from <= to.`,
      phrase`Give the first and the last number of the entries to remove.`,
    );
  }
  if (cut && append) refuse(phrase`A commit either appends or cuts.`, phrase`Make two commits of it.`);
  return {
    task,
    fence,
    records: prepareRecords(task, records),
    append: append === undefined ? undefined : prepareAppend(append),
    cut,
  };
}

function prepareRecords(task: string | null, writes: readonly RecordWrite[]): PreparedRecord[] {
  assertArray(writes, 'records');
  const prepared = writes.map((write) => prepareRecord(task, write));
  if (prepared.length > 1) refuseTwice(prepared);
  return prepared;
}

function prepareRecord(task: string | null, write: RecordWrite): PreparedRecord {
  assertObject(write, phrase`A record write`);
  const { category, key, expect } = write;
  assertCategory(category);
  assertKey(key);
  if (!belongsTo(task, category, key)) {
    refuse(
      phrase`The record ${category}/${key} does not belong to ${task === null ? 'the records outside tasks' : `task ${task}`}.`,
      phrase`A commit concerns one task and its records "tasks/{task}/…", or only records outside "tasks".`,
    );
  }
  if (expect !== undefined && !(Number.isSafeInteger(expect) && expect >= 0)) {
    refuse(
      phrase`expect of ${category}/${key} is not a revision.`,
      phrase`Give a revision from get(), or 0 for "must not exist".`,
    );
  }
  return { category, key, text: textOf(write), expect };
}

function belongsTo(task: string | null, category: string, key: string): boolean {
  if (task !== null && category === 'tasks' && key[task.length] === '/' && key.startsWith(task)) return true;
  return taskOfRecord(category, key) === task;
}

function refuseTwice(records: readonly PreparedRecord[]): void {
  const seen = new Set<string>();
  for (const { category, key } of records) {
    const place = `${category}/${key}`;
    if (seen.has(place))
      refuse(phrase`The record ${place} is written twice in one commit.`, phrase`Write it once.`);
    seen.add(place);
  }
}

/** Null for a removal. */
function textOf(write: RecordWrite): string | null {
  const { remove } = write as { readonly remove?: unknown };
  const hasData = 'data' in write;
  if (remove === undefined && hasData) return encode(write.data);
  if (remove === true && !hasData) return null;
  return refuse(
    phrase`What to do with the record ${write.category}/${write.key} is not clear.`,
    phrase`Give either data, or remove: true; leave remove out to write.`,
  );
}

function prepareAppend(append: NonNullable<Commit['append']>): PreparedAppend {
  assertObject(append, 'append');
  assertObject(append.after, 'append.after');
  const { after, texts = append.entries } = append;
  assertArray(texts, 'append.entries');
  if (!isPosition(after)) {
    refuse(
      phrase`append.after is not a position.`,
      phrase`Give the position from position() or the last receipt.`,
    );
  }
  return chained(after, append.texts ?? append.entries.map(encode));
}

function isPosition({ seq, hash }: Position): boolean {
  return Number.isSafeInteger(seq) && seq >= 0 && (hash === lastHash || HASH.test(hash));
}

/** That of the last append, where most tasks append next. */
let lastHash: string | undefined;

/** Entries with these texts after a position. */
function chained(after: Position, texts: readonly string[]): PreparedAppend {
  let end: Position = after;
  const entries = texts.map((text) => {
    end = next(end, text);
    return { seq: end.seq, hash: end.hash, text };
  });
  lastHash = end.hash;
  return { after, end, entries };
}

/** A commit of records alone. */
export function recordsCommit(
  task: string | null,
  records: readonly PreparedRecord[],
  fence?: number,
): PreparedCommit {
  return { task, fence, records, append: undefined, cut: undefined };
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

function assertObject(value: unknown, what: string): void {
  if (typeof value !== 'object' || value === null)
    refuse(phrase`${what} is not an object.`, phrase`Give it as the type Commit says.`);
}

function assertArray(value: unknown, what: string): void {
  if (!Array.isArray(value))
    refuse(phrase`${what} is not an array.`, phrase`Give an array, even for a single value.`);
}

function refuse(message: string, hint: string): never {
  throw new InvalidInputError('INVALID_COMMIT', message, { hint });
}
