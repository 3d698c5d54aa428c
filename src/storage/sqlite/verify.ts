/** Reads everything in the file and says what is wrong, a table at a time; changes nothing. */
import type { DatabaseSync } from 'node:sqlite';
import { samePosition } from '../chain.ts';
import type { Problem } from '../contract.ts';
import { decode } from '../serialize.ts';
import { type BlobRow, isIntact } from './blobs.ts';
import type { Cuts } from './cuts.ts';
import type { Entries } from './entries.ts';
import { type Head, SHARED, sealOf } from './heads.ts';
import type { Journal } from './journal.ts';
import { type RecordRow, verifyRecord } from './records.ts';
import { lastGood } from './repair.ts';
import type { Tail } from './tail.ts';

const PAGE = 200;

export interface Verifiable {
  readonly db: DatabaseSync;
  readonly journal: Journal;
  readonly entries: Entries;
  readonly cuts: Cuts;
  readonly tail: Tail;
}

export function* verifyAll(store: Verifiable): Generator<Problem> {
  const { db } = store;
  yield* integrity(db);
  yield* each<RecordRow>(db, 'persistence', checkRecord);
  yield* each<Head & { id: number; checksum: number }>(db, 'heads', (head) => checkHead(store, head));
  yield* strays(db, store.tail);
  yield* each<BlobRow>(db, 'blobs', checkBlob, 1);
}

function* integrity(db: DatabaseSync): Generator<Problem> {
  for (const row of db.prepare('PRAGMA integrity_check(100)').iterate() as Iterable<unknown>) {
    const line = (row as { integrity_check: string }).integrity_check;
    if (line !== 'ok') yield problem(`The database does not hold together: ${line}.`, null, 'file');
  }
}

/** Row by row, by id, so that a long check holds no transaction open. */
function* each<Row extends { id: number }>(
  db: DatabaseSync,
  table: string,
  check: (row: Row) => Problem | null,
  page: number = PAGE,
): Generator<Problem> {
  const select = db.prepare(`SELECT * FROM ${table} WHERE id > ? ORDER BY id LIMIT ${page}`);
  let after = 0;
  for (;;) {
    const rows = select.all(after) as unknown as Row[];
    for (const row of rows) {
      const found = check(row);
      if (found) yield found;
    }
    if (rows.length === 0) return;
    after = rows.at(-1)!.id;
  }
}

function checkRecord(row: RecordRow): Problem | null {
  const task = row.category === 'tasks' ? (row.key.split('/')[0] ?? null) : null;
  try {
    verifyRecord(row);
    decode(row.data);
    return null;
  } catch (error) {
    return problem((error as Error).message, task, `persistence row ${row.id}`);
  }
}

function checkHead(
  { journal, entries, cuts }: Verifiable,
  head: Head & { id: number; checksum: number },
): Problem | null {
  const task = head.task === SHARED ? null : head.task;
  const where = `heads row ${head.id}`;
  if (sealOf(head) !== head.checksum)
    return problem(`The head of task ${head.task} does not match its checksum.`, task, where);
  const { intact, damaged } = cuts.of(head);
  if (damaged.length > 0)
    return problem(`A cut in task ${head.task} does not match its checksum.`, task, where);
  const end = journal.end(head);
  const good = lastGood(entries.rows(head.id, 1, end.seq), intact);
  if (samePosition(good, end)) return null;
  return problem(
    `The journal of task ${head.task} has ${end.seq} entries, but is whole only up to entry ${good.seq}.`,
    task,
    `journal entry ${good.seq + 1}`,
  );
}

/** Rows that no journal leads to. */
function* strays(db: DatabaseSync, tail: Tail): Generator<Problem> {
  const select = db.prepare(
    `SELECT id, head FROM journal j WHERE head NOT IN (SELECT id FROM heads) OR (id <= ? AND NOT EXISTS
       (SELECT 1 FROM places p WHERE p.head = j.head AND p.seq = j.seq AND p.row = j.id)) LIMIT 100`,
  );
  for (const row of select.all(tail.after()) as { id: number; head: number }[])
    yield problem('A journal entry belongs to no journal.', null, `journal row ${row.id}`);
}

function checkBlob(row: BlobRow): Problem | null {
  if (isIntact(row)) return null;
  return problem(`The blob ${row.name} is not what was stored.`, row.task || null, `blobs row ${row.id}`);
}

function problem(message: string, task: string | null, where: string): Problem {
  return { code: 'CORRUPT', message, task, where };
}
