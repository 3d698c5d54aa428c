/**
 * What LangGraph's saver calls of better-sqlite3, on the SQLite of Node: the binary of that driver would have to be
 * downloaded or compiled for this very Node, and both sides are to run on the same SQLite. Synced at every commit.
 */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';

type Value = SQLInputValue | undefined;

export interface BetterSqlite {
  prepare(sql: string): {
    run(...values: Value[]): unknown;
    get(...values: Value[]): unknown;
    all(...values: Value[]): unknown;
  };
  exec(sql: string): void;
  pragma(text: string): void;
  transaction<Args extends unknown[]>(work: (...args: Args) => void): (...args: Args) => void;
  close(): void;
}

export function betterSqlite(path: string): BetterSqlite {
  const db = new DatabaseSync(path);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  return {
    prepare(sql) {
      const statement = db.prepare(sql);
      return {
        run: (...values) => statement.run(...values.map(orNull)),
        get: (...values) => statement.get(...values.map(orNull)),
        all: (...values) => statement.all(...values.map(orNull)),
      };
    },
    exec: (sql) => db.exec(sql),
    pragma: (text) => db.exec(`PRAGMA ${text}`),
    transaction:
      (work) =>
      (...args) => {
        db.exec('BEGIN');
        try {
          work(...args);
          db.exec('COMMIT');
        } catch (error) {
          db.exec('ROLLBACK');
          throw error;
        }
      },
    close: () => db.close(),
  };
}

function orNull(value: Value): SQLInputValue {
  return value === undefined ? null : value;
}
