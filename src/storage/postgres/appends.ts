/**
 * Appends by owners, exactly once without a lane: entries, alone or with one record. Only the owner of a task appends to it,
 * and no two positions of a journal have the same hash: whether an append was written shows in the journal itself, and the
 * last entry keeps the receipt of its record. So an append whose connection was lost is looked for, and sent again if it is
 * not there. A copy of it that the server carries out later finds that the journal has moved on, and writes nothing. The
 * first entry of a task goes through the lane: its position returns if the task is removed.
 */
import type { NamedBlob, PreparedAppend, PreparedRecord, Receipt } from '../backend.ts';
import { numberArray, textArray } from './arrays.ts';
import { blobColumns } from './blobs.ts';
import { type Claimed, type RecordReceipt, recordReceipt } from './commit-calls.ts';
import type { Connection } from './connection.ts';
import type { Line } from './line.ts';
import type { Answer } from './prepared.ts';
import { recordSeal } from './records.ts';
import {
  APPEND_ONE,
  APPEND_SEVERAL,
  FIND_APPENDED,
  PUT_BLOBS,
  STEP_ONE,
  STEP_SEVERAL,
} from './sql/append.ts';

export interface Append extends Claimed {
  readonly task: string;
  readonly append: PreparedAppend;
}

interface Sent<A extends Append> {
  /** Without those of a task that has another owner, or whose journal ends elsewhere. */
  readonly written: ReadonlyMap<A, Receipt>;
  /** Whether a copy of the others may still be on its way. */
  readonly isUncertain: boolean;
}

export function isAppend({ task, fence, records, append }: Claimed): boolean {
  const hasEntries = append !== undefined && append.after.seq > 0 && append.entries.length > 0;
  if (!hasEntries || task === null || fence === undefined || records.length > 1) return false;
  return records.every(({ text, expect }) => text !== null && expect === undefined);
}

/** At most one of each task, in the order of their tasks. */
export async function sendAppends<A extends Append>(
  connection: Connection,
  line: Line,
  appends: readonly A[],
): Promise<Sent<A>> {
  const written = new Map<A, Receipt>();
  const left = () => appends.filter((append) => !written.has(append));
  const note = (more: ReadonlyMap<A, Receipt>) => {
    for (const [append, receipt] of more) written.set(append, receipt);
  };
  let isUncertain = false;
  await connection.patiently(async (isFirst) => {
    if (isFirst) return note(await write(line, appends));
    isUncertain = true;
    note(await findWritten(line, left()));
    if (written.size < appends.length) note(await write(line, left()));
  }, 'unknown');
  return { written, isUncertain };
}

/** Those that are in their journals. */
export async function findWritten<A extends Append>(
  line: Line,
  appends: readonly A[],
): Promise<ReadonlyMap<A, Receipt>> {
  const ends = appends.map(({ append }) => append.end);
  const { rows } = await line.send(FIND_APPENDED, [
    textArray(appends.map(({ task }) => task)),
    numberArray(ends.map(({ seq }) => seq)),
    textArray(ends.map(({ hash }) => hash)),
  ]);
  return receiptsOf(appends, rows);
}

function receiptsOf<A extends Append>(appends: readonly A[], rows: Answer['rows']): Map<A, Receipt> {
  const receipts = new Map(rows.map(([task, receipt]) => [task, receipt ?? null]));
  return new Map(
    appends.flatMap((append) => {
      const receipt = receipts.get(append.task);
      return receipt === undefined ? [] : [[append, receiptOf(append, receipt)] as const];
    }),
  );
}

function receiptOf({ append }: Append, record: string | null): Receipt {
  const records = record === null ? [] : [recordReceipt(JSON.parse(record) as RecordReceipt)];
  return { position: append.end, records };
}

async function write<A extends Append>(line: Line, appends: readonly A[]): Promise<ReadonlyMap<A, Receipt>> {
  const [first] = appends;
  if (appends.length === 1 && first!.append.entries.length === 1) {
    const receipt = await writeOne(line, first!);
    return new Map(receipt === undefined ? [] : [[first!, receiptOf(first!, receipt)]]);
  }
  const blobs = appends.flatMap((append) => append.blobs ?? []);
  if (blobs.length > 0) await line.send(PUT_BLOBS, blobColumns(once(blobs)));
  const columns = columnsOf(appends);
  if (appends.some(({ records }) => records.length > 0)) {
    const { rows } = await line.send(STEP_SEVERAL, [...columns, ...recordColumns(appends)]);
    return receiptsOf(appends, rows);
  }
  const { rows } = await line.send(APPEND_SEVERAL, columns);
  const refused = new Set(rows.map(([task]) => task));
  const written = appends.filter(({ task }) => !refused.has(task));
  return new Map(written.map((append) => [append, receiptOf(append, null)]));
}

/** The receipt of its record, null without one; undefined if it was not written. */
async function writeOne(
  line: Line,
  { task, fence, owner, append: { after, entries }, records, blobs = [] }: Append,
): Promise<string | null | undefined> {
  const { hash, text } = entries[0]!;
  const values: unknown[] = [task, fence, owner, after.seq, after.hash, hash, text];
  const [record] = records;
  if (record) values.push(...columnsOfRecord(record));
  const statement = record ? STEP_ONE : APPEND_ONE;
  const { rows, count } = await (blobs.length === 0
    ? line.send(statement.alone, values)
    : line.send(statement.withBlobs, [...values, ...blobColumns(blobs)]));
  return count === 1 ? (rows[0]?.[0] ?? null) : undefined;
}

/** Several tasks may bring the same ones. */
function once(blobs: readonly NamedBlob[]): NamedBlob[] {
  return [...new Map(blobs.map((blob) => [blob.id, blob])).values()];
}

function columnsOf(appends: readonly Append[]): unknown[] {
  const entries = appends.flatMap(({ task, append }) => append.entries.map((entry) => ({ task, ...entry })));
  return [
    textArray(appends.map(({ task }) => task)),
    numberArray(appends.map(({ fence }) => fence)),
    textArray(appends.map(({ owner }) => owner)),
    numberArray(appends.map(({ append }) => append.after.seq)),
    textArray(appends.map(({ append }) => append.after.hash)),
    numberArray(appends.map(({ append }) => append.end.seq)),
    textArray(appends.map(({ append }) => append.end.hash)),
    textArray(entries.map(({ task }) => task)),
    numberArray(entries.map(({ seq }) => seq)),
    textArray(entries.map(({ hash }) => hash)),
    textArray(entries.map(({ text }) => text)),
  ];
}

function recordColumns(appends: readonly Append[]): unknown[] {
  const rows = appends.map(({ records: [record] }) => (record ? columnsOfRecord(record) : NO_RECORD));
  return NO_RECORD.map((_, column) => textArray(rows.map((row) => row[column]!)));
}

const NO_RECORD = [null, null, null, null] as const;

/** Its category, key, text and checksum. */
function columnsOfRecord({ category, key, text }: PreparedRecord): (string | null)[] {
  return [category, key, text, recordSeal(category, key, text!)];
}
