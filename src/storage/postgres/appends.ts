/**
 * Appends by owners, exactly once without a lane. Only the owner of a task appends to it, and no two positions of a journal
 * have the same hash: whether an append was written shows in the journal itself. So an append whose connection was lost is
 * looked for, and sent again if it is not there. A copy of it that the server carries out later finds that the journal has
 * moved on, and writes nothing. The first entry of a task goes through the lane: its position returns if the task is removed.
 */
import type { NamedBlob, PreparedAppend } from '../backend.ts';
import { numberArray, textArray } from './arrays.ts';
import { blobColumns } from './blobs.ts';
import type { Claimed } from './commit-calls.ts';
import type { Connection, Line } from './connection.ts';
import { APPEND_ONE, APPEND_SEVERAL, APPEND_WITH_BLOBS, FIND_APPENDED, PUT_BLOBS } from './sql/append.ts';

export interface Append extends Claimed {
  readonly task: string;
  readonly append: PreparedAppend;
}

interface Sent<A extends Append> {
  /** Not written: the task has another owner, or its journal ends elsewhere. */
  readonly refused: readonly A[];
  /** Whether a copy of them may still be on its way. */
  readonly isUncertain: boolean;
}

export function isAppend(commit: Claimed): commit is Append {
  const { task, fence, records, append } = commit;
  const hasEntries = append !== undefined && append.after.seq > 0 && append.entries.length > 0;
  return hasEntries && task !== null && fence !== undefined && records.length === 0;
}

/** At most one of each task, in the order of their tasks. */
export async function sendAppends<A extends Append>(
  connection: Connection,
  line: Line,
  appends: readonly A[],
): Promise<Sent<A>> {
  let refused = appends;
  let isUncertain = false;
  await connection.patiently(async (isFirst) => {
    if (!isFirst) {
      isUncertain = true;
      refused = await missingOf(line, refused);
    }
    if (refused.length > 0) refused = await write(line, refused);
  }, 'unknown');
  return { refused, isUncertain };
}

/** Those that are not in their journals. */
export async function missingOf<A extends Append>(line: Line, appends: readonly A[]): Promise<readonly A[]> {
  const ends = appends.map(({ append }) => append.end);
  const { rows } = await line.send<{ task: string }>(FIND_APPENDED, [
    textArray(appends.map(({ task }) => task)),
    numberArray(ends.map(({ seq }) => seq)),
    textArray(ends.map(({ hash }) => hash)),
  ]);
  const found = new Set(rows.map(({ task }) => task));
  return appends.filter(({ task }) => !found.has(task));
}

async function write<A extends Append>(line: Line, appends: readonly A[]): Promise<readonly A[]> {
  const [first] = appends;
  const blobs = appends.flatMap((append) => append.blobs ?? []);
  if (appends.length === 1 && first!.append.entries.length === 1) {
    const { count } = await (blobs.length === 0
      ? line.send(APPEND_ONE, valuesOf(first!))
      : line.send(APPEND_WITH_BLOBS, [...valuesOf(first!), ...blobColumns(blobs)]));
    return count === 1 ? [] : appends;
  }
  if (blobs.length > 0) await line.send(PUT_BLOBS, blobColumns(once(blobs)));
  const { rows } = await line.send<{ task: string }>(APPEND_SEVERAL, columnsOf(appends));
  const refused = new Set(rows.map(({ task }) => task));
  return refused.size === 0 ? [] : appends.filter(({ task }) => refused.has(task));
}

/** Several tasks may bring the same ones. */
function once(blobs: readonly NamedBlob[]): NamedBlob[] {
  return [...new Map(blobs.map((blob) => [blob.id, blob])).values()];
}

function valuesOf({ task, fence, owner, append: { after, entries } }: Append): unknown[] {
  const { hash, text } = entries[0]!;
  return [task, fence, owner, after.seq, after.hash, hash, text];
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
