/** A database's rows past the store: what is there, changing some, and putting all back. */
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SCHEMA } from './world.ts';

export interface Row {
  readonly table: string;
  /** By which a statement finds it. */
  readonly id: string | number;
  /** Of what: a journal's entry by its number, a record or blob by its name, or the head of a task. */
  readonly of: string | number;
}

export interface Rows {
  /** Those of the task, and those of the whole store. */
  list(task: string): Promise<Row[]>;
  /** Turns a text or bytes of the row into something else. */
  spoil(row: Row, how: 'flip' | 'cut' | 'zero'): Promise<void>;
  remove(row: Row): Promise<void>;
  /** Exchanges what two rows of a table hold. */
  swap(a: Row, b: Row): Promise<void>;
  /** The entries of journals and of what was put aside, as numbers and texts. */
  entries(): Promise<{ journal: string[]; aside: string[] }>;
  save(): Promise<void>;
  restore(): Promise<void>;
  close(): Promise<void>;
}

const HOLDS: Record<string, string> = {
  journal: 'data',
  persistence: 'data',
  blobs: 'bytes',
  heads: 'hash',
};

type Query = (sql: string, values?: readonly (string | number)[]) => Promise<Record<string, unknown>[]>;

export async function sqliteRows(dir: string): Promise<Rows> {
  const path = join(dir, '.vibe-engine', 'persistence.db');
  const query: Query = async (sql, values = []) => {
    const db = new DatabaseSync(path, { timeout: 5000 });
    try {
      return db.prepare(sql.replaceAll('$', '?')).all(...values) as Record<string, unknown>[];
    } finally {
      db.close();
    }
  };
  return {
    ...rowsBy(query, '', {
      journal: 'SELECT id, seq AS "of" FROM journal WHERE head = (SELECT id FROM heads WHERE task = $1)',
      blobs: 'SELECT id, name AS "of" FROM blobs WHERE task IN ($1, \'\')',
      persistence: "SELECT id, category || '/' || key AS \"of\" FROM persistence WHERE $1 <> ''",
      heads: 'SELECT id, task AS "of" FROM heads WHERE task = $1',
    }),
    save: async () => {
      await query('PRAGMA wal_checkpoint(TRUNCATE)');
      for (const end of ['-wal', '-shm']) if (existsSync(path + end)) rmSync(path + end);
      copyFileSync(path, `${path}.look`);
      rmSync(`${path}.look`);
    },
    restore: async () => {}, // It is a file of the project.
    close: async () => {},
  };
}

export async function postgresRows(url: string): Promise<Rows> {
  const { Client } = (await import('pg')).default;
  const client = new Client({ connectionString: url });
  await client.connect();
  const query: Query = async (sql, values = []) => (await client.query(sql, [...values])).rows;
  const tables = ['meta', 'persistence', 'heads', 'journal', 'blobs', 'lanes', 'damaged'];
  const at = `${SCHEMA}.`;
  return {
    ...rowsBy(query, at, {
      journal: `SELECT ctid::text AS id, seq AS "of" FROM ${at}journal WHERE task = $1`,
      blobs: `SELECT ctid::text AS id, blobs.id AS "of" FROM ${at}blobs WHERE task IN ($1, '')`,
      persistence: `SELECT ctid::text AS id, category || '/' || key AS "of" FROM ${at}persistence WHERE $1 <> ''`,
      heads: `SELECT ctid::text AS id, task AS "of" FROM ${at}heads WHERE task = $1`,
    }),
    save: async () => {
      await query('CREATE SCHEMA saved');
      for (const table of tables) await query(`CREATE TABLE saved.${table} AS TABLE ${at}${table}`);
    },
    restore: async () => {
      await query('BEGIN');
      await query(`TRUNCATE ${tables.map((table) => at + table).join(', ')}`);
      for (const table of tables)
        await query(`INSERT INTO ${at}${table} OVERRIDING SYSTEM VALUE SELECT * FROM saved.${table}`);
      await query('COMMIT');
    },
    close: () => client.end(),
  };
}

function rowsBy(
  query: Query,
  at: string,
  lists: Readonly<Record<string, string>>,
): Omit<Rows, 'save' | 'restore' | 'close'> {
  const isPostgres = at !== '';
  const where = isPostgres ? 'ctid = $1::tid' : 'id = $1';
  const update = (row: Row, value: string) =>
    query(`UPDATE ${at}${row.table} SET ${HOLDS[row.table]} = ${value} WHERE ${where}`, [row.id]);
  return {
    async list(task) {
      const found: Row[] = [];
      for (const [table, sql] of Object.entries(lists))
        for (const { id, of } of await query(sql, [task]))
          found.push({ table, id: id as string, of: table === 'journal' ? Number(of) : (of as string) });
      return found;
    },
    async spoil(row, how) {
      const column = HOLDS[row.table]!;
      const isBytes = row.table === 'blobs';
      const bytes = isPostgres ? `''::bytea` : `x''`;
      const cut = isPostgres
        ? `substring(${column} from 1 for length(${column}) / 2)`
        : `coalesce(substr(${column}, 1, length(${column}) / 2), x'')`; // An empty blob has no parts for SQLite.
      const values = {
        flip: isBytes
          ? isPostgres
            ? `CASE length(${column}) WHEN 0 THEN '\\x00' ELSE set_byte(${column}, 0, 255 - get_byte(${column}, 0)) END`
            : `CAST(x'00' || coalesce(substr(${column}, 2), x'') AS BLOB)`
          : `replace(${column}, 'e', 'f')`,
        cut,
        zero: isBytes ? bytes : `''`,
      };
      await update(row, values[how]);
    },
    remove: async (row) => void (await query(`DELETE FROM ${at}${row.table} WHERE ${where}`, [row.id])),
    async swap(a, b) {
      const column = HOLDS[a.table]!;
      const of = (row: Row) =>
        query(`SELECT ${column} AS held FROM ${at}${a.table} WHERE ${where}`, [row.id]);
      const [first] = await of(a);
      const set = `UPDATE ${at}${a.table} SET ${column} = $2 WHERE ${where}`;
      const [second] = await of(b);
      await query(set, [a.id, second!.held as string]);
      // In PostgreSQL a changed row is a new one; the other still stands where it was.
      await query(set, [b.id, first!.held as string]);
    },
    async entries() {
      const texts = async (table: string) =>
        (await query(`SELECT seq, data FROM ${at}${table}`)).map(({ seq, data }) => `${seq} ${data}`);
      return { journal: await texts('journal'), aside: await texts('damaged') };
    },
  };
}
