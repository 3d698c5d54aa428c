/** The three back ends, each with all places in which what it stores ends up. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ConfigInput } from '../../../src/config/types.ts';
import { freshDatabase, startPostgresServer } from '../../support/postgres.ts';
import { type Needles, type Searched, searchBelow, searchBytes } from './search.ts';

export type StoreName = 'json' | 'sqlite' | 'postgres';

export interface LeakStore {
  readonly persistence: NonNullable<ConfigInput['persistence']>;
  /** A power cut, where there is a server that can have one. */
  crash(): Promise<void>;
  search(needles: Needles): Promise<Searched>;
  close(): Promise<void>;
}

/** What `docs/reference/security.md` says is in the open below `.vibe-engine`, with the content of files. */
const IN_THE_OPEN = /^conflicts(?:\/|$)/;

export async function openLeakStore(name: StoreName, dir: string): Promise<LeakStore> {
  const root = join(dir, '.vibe-engine');
  const files = (needles: Needles): Searched => searchBelow(root, needles, (path) => IN_THE_OPEN.test(path));
  const nothing = async (): Promise<void> => {};
  if (name !== 'postgres')
    return {
      persistence: { storage_type: name },
      crash: nothing,
      close: nothing,
      search: async (needles) => {
        const databases = readdirSync(root).filter((file) => file.endsWith('.db'));
        return together([
          files(needles),
          ...databases.map((file) => searchSqlite(join(root, file), needles)),
        ]);
      },
    };
  const server = await startPostgresServer(LOG_EVERYTHING);
  const database = await freshDatabase(server);
  return {
    persistence: { storage_type: 'postgres', url: database.url, lease_seconds: 5 },
    crash: async () => {
      await server.crash();
      await server.restart();
    },
    close: server.stop,
    search: async (needles) => {
      await database.query('CHECKPOINT');
      const below = searchBelow(server.dir, needles, (path) => /^native(?:\/|$)/.test(path));
      return together([files(needles), below, await searchTables(database.query, needles)]);
    },
  };
}

/** Every statement with its values, as a careful or a careless administrator may have it. */
const LOG_EVERYTHING = ['log_statement=all', 'log_parameter_max_length=-1'];

/** Values may lie in pieces on several pages, or compressed: past the files, each is looked at as a whole. */
function searchSqlite(path: string, needles: Needles): Searched {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
  try {
    const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    return searchRows(
      tables.flatMap(({ name }) => db.prepare(`SELECT * FROM "${name}"`).all()),
      path,
      needles,
    );
  } finally {
    db.close();
  }
}

type Query = (sql: string) => Promise<Record<string, unknown>[]>;

async function searchTables(query: Query, needles: Needles): Promise<Searched> {
  const tables = await query(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname !~ '^(pg_|information_schema)'`,
  );
  const searched: Searched[] = [];
  for (const { name } of tables)
    searched.push(searchRows(await query(`SELECT * FROM ${name}`), String(name), needles));
  return together(searched);
}

function searchRows(rows: readonly Record<string, unknown>[], where: string, needles: Needles): Searched {
  const values = rows.flatMap((row) => Object.values(row)).map(asBytes);
  const searched = values.map((bytes) => searchBytes(bytes, needles));
  return {
    files: 0,
    bytes: values.reduce((sum, { length }) => sum + length, 0),
    streams: searched.reduce((sum, { streams }) => sum + streams, 0),
    found: searched.flatMap(({ found }) => found.map((form) => `a row of ${where}: ${form}`)),
  };
}

function asBytes(value: unknown): Buffer {
  if (value instanceof Uint8Array) return Buffer.from(value);
  return Buffer.from(typeof value === 'string' ? value : String(JSON.stringify(value) ?? value));
}

export function together(all: readonly Searched[]): Searched {
  const sum = (of: 'files' | 'bytes' | 'streams'): number => all.reduce((total, one) => total + one[of], 0);
  return {
    files: sum('files'),
    bytes: sum('bytes'),
    streams: sum('streams'),
    found: all.flatMap(({ found }) => found),
  };
}
