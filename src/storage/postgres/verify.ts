/** Checks everything stored, a page at a time. */

import { CorruptError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Done } from '../../system/progress.ts';
import { isWholeBlob } from '../blob-names.ts';
import type { Problem } from '../contract.ts';
import { decode } from '../serialize.ts';
import { damagedBlob } from './blobs.ts';
import type { Connection } from './connection.ts';
import type { Journal } from './journal.ts';
import { RECORD_COLUMNS, type RecordRow, recordOf } from './records.ts';
import { boundedPage } from './sql/page.ts';

export async function* verifyStore(
  connection: Connection,
  journal: Journal,
  at: Done = () => {},
): AsyncGenerator<Problem> {
  const [row] = await connection.query<{ n: string }>(COUNT, []);
  const of = Number(row?.n ?? 0);
  let done = 0;
  const count = (): void => at(done++, of);
  yield* verifyRecords(connection, count);
  yield* verifyTasks(connection, journal, count);
  yield* verifyBlobs(connection, count);
}

async function* verifyRecords(connection: Connection, count: () => void): AsyncGenerator<Problem> {
  for (let after = '0'; ; ) {
    const rows = await connection.query<RecordRow>(RECORDS, [after, PAGE_ROWS, PAGE_BYTES]);
    for (const row of rows) {
      count();
      const task = row.category === 'tasks' ? row.key.slice(0, Math.max(0, row.key.indexOf('/'))) : null;
      const problem = problemOf(task, `persistence, row ${row.id}`, () => recordOf(row));
      if (problem) yield problem;
    }
    if (rows.length === 0) return;
    after = rows.at(-1)!.id;
  }
}

async function* verifyTasks(
  connection: Connection,
  journal: Journal,
  count: () => void,
): AsyncGenerator<Problem> {
  for (let after = ''; ; ) {
    const rows = await connection.query<{ task: string }>(TASKS, [after, PAGE_ROWS]);
    for (const { task } of rows) {
      count();
      yield* verifyTask(connection, journal, task);
    }
    if (rows.length === 0) return;
    after = rows.at(-1)!.task;
  }
}

async function* verifyTask(connection: Connection, journal: Journal, task: string): AsyncGenerator<Problem> {
  try {
    for await (const part of journal.steps(task))
      for (const { text } of part) if (text !== null) decode(text);
  } catch (error) {
    if (!(error instanceof CorruptError)) throw error;
    yield { code: error.code, message: error.message, task, where: 'journal' };
    return;
  }
  const [row] = await connection.query<ListedRow>(LISTED, [task]);
  if (row && row.listed !== row.has_content) {
    const message = row.listed
      ? phrase`is listed, but has no content`
      : phrase`has content, but is not listed`;
    yield { code: 'CORRUPT', message: phrase`Task ${task} ${message}.`, task, where: 'heads' };
  }
}

async function* verifyBlobs(connection: Connection, count: () => void): AsyncGenerator<Problem> {
  for (let after = { task: '', id: '' }; ; ) {
    const rows = await connection.query<BlobRow>(BLOBS, [after.task, after.id, PAGE_ROWS, PAGE_BYTES]);
    for (const { task: of, id, bytes, size } of rows) {
      count();
      const task = of === '' ? null : of;
      if (isWholeBlob(id, bytes) && Number(size) === bytes.length) continue;
      const { code, message } = damagedBlob(task, id);
      yield { code, message, task, where: `blobs, ${of} ${id}` };
    }
    if (rows.length === 0) return;
    after = rows.at(-1)!;
  }
}

function problemOf(task: string | null, where: string, check: () => unknown): Problem | null {
  try {
    check();
    return null;
  } catch (error) {
    if (!(error instanceof CorruptError)) throw error;
    return { code: error.code, message: error.message, task, where };
  }
}

interface ListedRow {
  listed: boolean;
  has_content: boolean;
}

interface BlobRow {
  task: string;
  id: string;
  size: string;
  bytes: Buffer;
}

const COUNT = {
  text: `SELECT (SELECT count(*) FROM $.persistence) + (SELECT count(*) FROM $.heads)
    + (SELECT count(*) FROM $.blobs) AS n`,
};

const PAGE_ROWS = 500;
const PAGE_BYTES = 4_000_000;

const RECORDS = {
  text: boundedPage(`SELECT ${RECORD_COLUMNS} FROM $.persistence WHERE id > $1 ORDER BY id LIMIT $2`, {
    size: 'octet_length(data)',
    order: 'id',
    bytes: '$3',
  }),
};

const BLOBS = {
  text: boundedPage(
    'SELECT task, id, size, bytes FROM $.blobs WHERE (task, id) > ($1, $2) ORDER BY task, id LIMIT $3',
    { size: 'octet_length(bytes)', order: 'task, id', bytes: '$4' },
  ),
};

/** Including those whose head is gone. */
const TASKS = {
  text: `SELECT task FROM $.heads WHERE task > $1
    UNION SELECT task FROM $.journal WHERE task > $1
    ORDER BY task LIMIT $2`,
};

/** The lock keeps a commit from coming between the two. */
const LISTED = {
  text: 'SELECT listed, $.has_content(task) AS has_content FROM $.heads WHERE task = $1 FOR SHARE',
};
