/**
 * Turns a commit into what back ends write: everything checked and encoded, before anything is touched. Back ends see
 * only prepared commits, so they refuse the same things in the same words.
 */
import { InvalidInputError } from '../errors.ts';
import { next } from './chain.ts';
import type { Commit, Position, RecordWrite } from './contract.ts';
import { assertCategory, assertKey, assertTask, taskOfRecord } from './keys.ts';
import { encode } from './serialize.ts';

export interface Prepared {
  readonly task: string | null;
  readonly fence: number | undefined;
  readonly records: readonly PreparedRecord[];
  readonly append: PreparedAppend | undefined;
  readonly cut: { readonly from: number; readonly to: number } | undefined;
}

export interface PreparedRecord {
  readonly category: string;
  readonly key: string;
  /** The encoded data; null removes the record. */
  readonly text: string | null;
  readonly expect: number | undefined;
}

export interface PreparedAppend {
  readonly after: Position;
  /** Where the journal ends afterwards. */
  readonly end: Position;
  readonly entries: readonly PreparedEntry[];
}

export interface PreparedEntry extends Position {
  readonly text: string;
}

export function prepareCommit(commit: Commit): Prepared {
  const { task, fence, cut } = commit;
  if (task !== null) assertTask(task);
  if (task === null && (commit.append || cut || fence !== undefined)) {
    refuse('append, cut and fence need a task.', 'Name the task the commit concerns.');
  }
  if (cut && !(isCount(cut.from) && isCount(cut.to) && cut.from <= cut.to)) {
    refuse('cut needs 1 <= from <= to.', 'Give the first and the last number of the entries to remove.');
  }
  if (cut && commit.append) refuse('A commit either appends or cuts.', 'Make two commits of it.');
  return {
    task,
    fence,
    records: prepareRecords(task, commit.records ?? []),
    append: commit.append && prepareAppend(commit.append),
    cut,
  };
}

function prepareRecords(task: string | null, writes: readonly RecordWrite[]): PreparedRecord[] {
  const seen = new Set<string>();
  return writes.map((write) => {
    const { category, key, expect } = write;
    assertCategory(category);
    assertKey(key);
    if (taskOfRecord(category, key) !== task) {
      refuse(
        `The record ${category}/${key} does not belong to ${task === null ? 'the records outside tasks' : `task ${task}`}.`,
        'A commit concerns one task and its records "tasks/{task}/…", or only records outside "tasks".',
      );
    }
    const place = `${category}/${key}`;
    if (seen.has(place)) refuse(`The record ${place} is written twice in one commit.`, 'Write it once.');
    seen.add(place);
    if (expect !== undefined && !(Number.isSafeInteger(expect) && expect >= 0)) {
      refuse(
        `expect of ${place} is not a revision.`,
        'Give a revision from get(), or 0 for "must not exist".',
      );
    }
    return { category, key, text: 'remove' in write ? null : encode(write.data), expect };
  });
}

function prepareAppend(append: NonNullable<Commit['append']>): PreparedAppend {
  const { after } = append;
  if (!Number.isSafeInteger(after.seq) || after.seq < 0 || !/^[0-9a-f]{64}$/.test(after.hash)) {
    refuse('append.after is not a position.', 'Give the position from position() or the last receipt.');
  }
  let end: Position = after;
  const entries = append.entries.map((entry) => {
    const text = encode(entry);
    end = next(end, text);
    return { ...end, text };
  });
  return { after, end, entries };
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1;
}

function refuse(message: string, hint: string): never {
  throw new InvalidInputError('INVALID_COMMIT', message, { hint });
}
