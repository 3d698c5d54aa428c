/** Records as rows of `persistence`: one read, lists in pages, and the writes of a commit. */
import type { DatabaseSync } from 'node:sqlite';
import { CorruptError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Listing, Page, PageQuery, StoredText } from '../backend.ts';
import { pageOf } from '../page.ts';
import type { Memory } from './memory.ts';
import { rangeOf } from './range.ts';
import { seal } from './seal.ts';

export interface RecordRow {
  readonly id: number;
  readonly category: string;
  readonly key: string;
  readonly data: string;
  readonly revision: number;
  readonly updated_at: string;
  readonly checksum: number;
}

export interface Located {
  readonly id: number;
  /** Moves with every write. */
  revision: number;
}

interface RecordId {
  readonly id: number;
  readonly category: string;
  readonly key: string;
}

export interface Records {
  get(category: string, key: string): StoredText | null;
  page(list: Listing, query: PageQuery): Page;
  /** Where it is and which revision it has, not verified: enough to write over it. */
  locate(category: string, key: string): Located | null;
  /** Writes it where it is, or at a new row (null); returns the row. */
  put(there: Located | null, record: Omit<RecordRow, 'id' | 'checksum'>): number;
  /** Removes one record and writes another in its row, which touches fewer pages than two rows; returns the row. */
  replace(gone: RecordId, record: Omit<RecordRow, 'id' | 'checksum'>): number;
  remove(category: string, key: string): void;
  /** Removes all records of the task; returns the largest revision among them, 0 when there were none. */
  removeOf(task: string): number;
}

const COLUMNS = 'id, category, key, data, revision, updated_at, checksum';
/** A task is listed when it has a journal entry or a record; a claim alone makes a head, but no task. */
const IS_TASK = `(seq > 0 OR EXISTS (SELECT 1 FROM persistence
  WHERE category = 'tasks' AND key >= heads.task || '/' AND key < heads.task || '0'))`;

/** Skips from one to the next with the index, so that the number of records does not matter. */
const CATEGORIES = `WITH RECURSIVE found (name) AS (
    SELECT min(category) FROM persistence
    UNION ALL
    SELECT (SELECT min(category) FROM persistence WHERE category > name) FROM found WHERE name IS NOT NULL
  ) SELECT name FROM found WHERE name <> 'tasks' ORDER BY name`;

const MOST_REMEMBERED = 10_000;

export function openRecords(db: DatabaseSync, memory: Memory): Records {
  const select = db.prepare(`SELECT ${COLUMNS} FROM persistence WHERE category = ? AND key = ?`);
  const locate = db.prepare('SELECT id, revision FROM persistence WHERE category = ? AND key = ?');
  const insert = db.prepare(
    'INSERT INTO persistence (category, key, data, revision, updated_at, checksum) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const update = db.prepare(
    'UPDATE persistence SET data = ?, revision = ?, updated_at = ?, checksum = ? WHERE id = ?',
  );
  const reuse = db.prepare(
    'UPDATE persistence SET category = ?, key = ?, data = ?, revision = ?, updated_at = ?, checksum = ? WHERE id = ?',
  );
  const drop = db.prepare('DELETE FROM persistence WHERE category = ? AND key = ?');
  const ofTask = "FROM persistence WHERE category = 'tasks' AND key >= ? AND key < ?";
  const newestOf = db.prepare(`SELECT coalesce(max(revision), 0) AS revision ${ofTask}`);
  const dropOf = db.prepare(`DELETE ${ofTask}`);
  const keys = inBothOrders(
    db,
    'SELECT key AS name FROM persistence WHERE category = ? AND key >= ? AND key < ? ORDER BY key',
  );
  const tasks = inBothOrders(
    db,
    `SELECT task AS name FROM heads WHERE task <> '' AND task >= ? AND task < ? AND ${IS_TASK} ORDER BY task`,
  );

  const categories = db.prepare(CATEGORIES);
  const located = new Map<string, Located>();
  memory.onForget(() => located.clear());
  const remember = (place: string, where: Located) => {
    if (located.size >= MOST_REMEMBERED) located.clear();
    located.set(place, where);
  };

  return {
    get(category, key) {
      const row = select.get(category, key) as unknown as RecordRow | undefined;
      if (!row) return null;
      verifyRecord(row);
      return { text: row.data, revision: row.revision, updated_at: row.updated_at };
    },
    page(list, query) {
      if (list === 'tasks') return pageIn(query, (order, ...range) => tasks[order].all(...range));
      if (list === 'categories')
        return pageOf(
          (categories.all() as { name: string }[]).map(({ name }) => name),
          query,
        );
      return pageIn(query, (order, ...range) => keys[order].all(list.category, ...range));
    },
    locate(category, key) {
      const place = `${category}/${key}`;
      const known = located.get(place);
      if (known) return known;
      const found = (locate.get(category, key) as Located | undefined) ?? null;
      if (found) remember(place, found);
      return found;
    },
    put(there, record) {
      const { category, key, data, revision, updated_at } = record;
      const checksum = sealRecord(record);
      if (there) {
        update.run(data, revision, updated_at, checksum, there.id);
        there.revision = revision;
        return there.id;
      }
      const id = Number(insert.run(category, key, data, revision, updated_at, checksum).lastInsertRowid);
      remember(`${category}/${key}`, { id, revision });
      return id;
    },
    replace(gone, record) {
      const { category, key, data, revision, updated_at } = record;
      reuse.run(category, key, data, revision, updated_at, sealRecord(record), gone.id);
      located.delete(`${gone.category}/${gone.key}`);
      remember(`${category}/${key}`, { id: gone.id, revision });
      return gone.id;
    },
    remove(category, key) {
      located.delete(`${category}/${key}`);
      drop.run(category, key);
    },
    removeOf(task) {
      const range = [`${task}/`, `${task}0`]; // "0" follows "/"
      const { revision } = newestOf.get(...range) as { revision: number };
      dropOf.run(...range);
      located.clear();
      return revision;
    },
  };
}

export function verifyRecord(row: RecordRow): void {
  if (sealRecord(row) === row.checksum) return;
  throw new CorruptError(phrase`The record ${row.category}/${row.key} does not match its checksum.`, {
    data: { category: row.category, key: row.key, where: `persistence row ${row.id}` },
    hint: phrase`Save it again from a good copy, or delete it; other records are not affected.`,
  });
}

function sealRecord(row: Omit<RecordRow, 'id' | 'checksum'>): number {
  return seal(`${row.category}\n${row.key}\n${row.revision}\n${row.updated_at}\n${row.data}`);
}

type Order = 'up' | 'down';

function inBothOrders(db: DatabaseSync, sql: string) {
  return { up: db.prepare(`${sql} LIMIT ?`), down: db.prepare(`${sql} DESC LIMIT ?`) };
}

/** Asks for one more than wanted, which tells whether there is a next page. */
function pageIn(
  query: PageQuery,
  select: (order: Order, from: string, below: string, limit: number) => unknown[],
): Page {
  const { from, below, limit } = rangeOf(query);
  const rows = select(query.reverse ? 'down' : 'up', from, below, limit + 1) as { name: string }[];
  const found = rows.slice(0, limit).map((row) => row.name);
  return { keys: found, next: rows.length > limit ? found.at(-1)! : null };
}
