/** Reads everything in the file and says what is wrong, a table at a time; changes nothing. */

import type { DatabaseSync } from 'node:sqlite';
import { CorruptError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { faultOf } from '../../system/locks/sqlite-faults.ts';
import type { Done } from '../../system/progress.ts';
import { samePosition } from '../chain.ts';
import type { Problem } from '../contract.ts';
import { decode } from '../serialize.ts';
import { type BlobRow, isIntact } from './blobs.ts';
import type { Cuts } from './cuts.ts';
import type { Entries } from './entries.ts';
import { type Head, SHARED, sealOf } from './heads.ts';
import type { Journal } from './journal.ts';
import type { Memory } from './memory.ts';
import { type RecordRow, verifyRecord } from './records.ts';
import { lastGood } from './repair.ts';
import type { Tail } from './tail.ts';

type StoredHead = Head & { readonly id: number; readonly checksum: number };

interface Verifiable {
  readonly db: DatabaseSync;
  readonly path: string;
  readonly memory: Memory;
  readonly journal: Journal;
  readonly entries: Entries;
  readonly cuts: Cuts;
  readonly tail: Tail;
}

export function* verifyAll(store: Verifiable, at: Done = () => {}): Generator<Problem> {
  const count = counting(store, at);
  const stages: Record<string, () => Generator<Problem>> = {
    file: () => integrity(store.db),
    persistence: () => each<RecordRow>(store, 'persistence', count(checkRecord), 200),
    heads: () =>
      each<StoredHead>(
        store,
        'heads',
        count((head) => checkHead(store, head)),
        1,
      ),
    journal: () => strays(store),
    blobs: () => each<BlobRow>(store, 'blobs', count(checkBlob), 1),
  };
  for (const [where, stage] of Object.entries(stages)) {
    try {
      yield* stage();
    } catch (error) {
      // What cannot even be read is one of the findings; the other tables are still looked at.
      const fault = faultOf(store.path, error);
      if (!(fault instanceof CorruptError)) throw fault;
      yield problem(fault.message, null, where);
    }
  }
}

/** Each row that is checked is one part. */
function counting({ db }: Verifiable, at: Done) {
  let done = 0;
  let of: number | null = null;
  try {
    const tables = ['persistence', 'heads', 'blobs'].map((table) => `(SELECT count(*) FROM ${table})`);
    of = (db.prepare(`SELECT ${tables.join(' + ')} AS n`).get() as { n: number }).n;
  } catch {
    // What cannot be read is found below.
  }
  return <Row>(check: (row: Row) => Problem | null) =>
    (row: Row): Problem | null => {
      at(done++, of);
      return check(row);
    };
}

function* integrity(db: DatabaseSync): Generator<Problem> {
  const rows = db.prepare('PRAGMA integrity_check(100)').all() as { integrity_check: string }[];
  for (const { integrity_check: line } of rows)
    if (line !== 'ok') yield problem(phrase`The database is inconsistent: ${line}.`, null, 'file');
}

/** A few rows at a time, so that writers can continue. */
function* each<Row extends { readonly id: number }>(
  { db, memory }: Verifiable,
  table: string,
  check: (row: Row) => Problem | null,
  atOnce: number,
): Generator<Problem> {
  const select = db.prepare(`SELECT * FROM ${table} WHERE id > ? ORDER BY id LIMIT ${atOnce}`);
  for (let after: number | undefined = 0; after !== undefined; ) {
    const from: number = after;
    const { last, problems } = memory.snapshot(() => {
      const rows = select.all(from) as unknown as Row[];
      return { last: rows.at(-1)?.id, problems: rows.map(check).filter((found) => found !== null) };
    });
    yield* problems;
    if (last !== undefined && last <= from)
      return yield problem(phrase`The rows of ${table} are not in order.`, null, `${table} row ${last}`);
    after = last;
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
    return problem(phrase`The head of task ${head.task} does not match its checksum.`, task, where);
  const { intact, damaged } = cuts.of(head);
  if (damaged.length > 0)
    return problem(phrase`A cut in task ${head.task} does not match its checksum.`, task, where);
  const end = journal.end(head);
  const good = lastGood(entries.rows(head.id, 1, end.seq), intact);
  if (samePosition(good, end)) return null;
  return problem(
    phrase`The journal of task ${head.task} has ${end.seq} entries, but is intact only up to entry ${good.seq}.`,
    task,
    phrase`journal entry ${good.seq + 1}`,
  );
}

/** Rows that no journal leads to. */
function* strays({ db, memory, tail }: Verifiable): Generator<Problem> {
  const select = db.prepare(
    `SELECT id FROM journal j WHERE head NOT IN (SELECT id FROM heads) OR (id <= ? AND NOT EXISTS
       (SELECT 1 FROM places p WHERE p.head = j.head AND p.seq = j.seq AND p.row = j.id)) LIMIT 100`,
  );
  const rows = memory.snapshot(() => select.all(tail.after())) as { id: number }[];
  for (const { id } of rows)
    yield problem(phrase`A journal entry belongs to no journal.`, null, `journal row ${id}`);
}

function checkBlob(row: BlobRow): Problem | null {
  if (isIntact(row)) return null;
  return problem(
    phrase`The blob ${row.name} is not what was stored.`,
    row.task || null,
    `blobs row ${row.id}`,
  );
}

function problem(message: string, task: string | null, where: string): Problem {
  return { code: 'CORRUPT', message, task, where };
}
