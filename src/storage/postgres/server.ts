/** Checks before a store is used: that the server keeps what it acknowledges, and that the tables are ours. */
import { StoreError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Connection, InTransaction } from './connection.ts';
import { faultOf, isAbsent, unavailable } from './faults.ts';
import type { Settings } from './options.ts';
import { inSchema, migrationsFrom, TABLES, VERSION } from './schema.ts';

const OLDEST_SERVER = 130_000;

export async function prepareServer(connection: Connection, settings: Settings): Promise<void> {
  try {
    await settle(connection, settings);
  } catch (error) {
    throw faultOf(connection.where, error);
  }
}

async function settle(connection: Connection, settings: Settings): Promise<void> {
  assertUsable(await askServer(connection), settings);
  const version = await connection.send<VersionRow>(READ_VERSION).then(currentVersion, noVersion);
  if (version !== VERSION) await connection.transaction((query) => migrate(query, settings));
}

/** Waits for a server that is starting up, but not for one that does not answer at all. */
async function askServer(connection: Connection): Promise<ServerRow> {
  return connection.patiently(async () => {
    try {
      return (await connection.send<ServerRow>(SERVER))[0]!;
    } catch (error) {
      throw isAbsent(error) ? unavailable(connection.where, error) : error;
    }
  });
}

interface ServerRow {
  version: string;
  fsync: string;
  synchronous_commit: string;
  encoding: string;
}

interface VersionRow {
  key: string;
  value: string;
}

const SERVER = {
  text: `SELECT current_setting('server_version_num') AS version, current_setting('fsync') AS fsync,
    current_setting('synchronous_commit') AS synchronous_commit, current_setting('server_encoding') AS encoding`,
};

const READ_VERSION = { text: `SELECT key, value FROM $.meta WHERE key IN ('format', 'version')` };

/** Removes leftovers of crashed processes: unused lanes and sessions, and heads of tasks that were only ever claimed. */
export async function sweep(connection: Connection): Promise<void> {
  await connection.once(SWEEP);
}

const SWEEP = {
  text: `WITH lanes AS (DELETE FROM $.lanes WHERE answered_at < clock_timestamp() - interval '1 day'),
    sessions AS (DELETE FROM $.sessions s WHERE NOT EXISTS (SELECT FROM $.heads h WHERE h.owner = s.owner))
    DELETE FROM $.heads WHERE NOT listed AND seq = 0
      AND coalesce(lease_until, '-infinity') < clock_timestamp() - interval '1 day'`,
};

function assertUsable(server: ServerRow, { where, allow_unsafe_server }: Settings): void {
  if (Number(server.version) < OLDEST_SERVER || server.encoding !== 'UTF8') {
    const data = { where, server_version_num: server.version, encoding: server.encoding };
    throw new StoreError(
      'STORE_UNAVAILABLE',
      phrase`The PostgreSQL database at ${where} is too old or not in UTF-8.`,
      {
        data,
        hint: phrase`Use PostgreSQL 13 or newer, and a database with the encoding UTF8.`,
      },
    );
  }
  if (allow_unsafe_server) return;
  for (const setting of ['fsync', 'synchronous_commit'] as const) {
    if (server[setting] !== 'off') continue;
    throw new StoreError(
      'STORE_UNSAFE',
      phrase`The PostgreSQL server at ${where} runs with ${setting} = off.`,
      {
        data: { where, setting, value: 'off' },
        hint: phrase`It would lose acknowledged writes in a crash. Set ${setting} = on, or the setting persistence.allow_unsafe_server to take the risk.`,
      },
    );
  }
}

/** Under a lock, so that of several processes that open a new store one makes the tables. */
async function migrate(query: InTransaction, settings: Settings): Promise<void> {
  const { schema, where } = settings;
  await query('SELECT pg_advisory_xact_lock(hashtext($1))', [`vibe-engine migrates ${schema}`]);
  const { rows } = await query<{ table_name: string }>(FOUND_TABLES, [schema, TABLES]);
  const found = rows.map(({ table_name }) => table_name);
  let version = 0;
  if (found.length > 0) {
    version = found.includes('meta') ? await versionIn(query, schema) : 0;
    if (version === 0) throw foreign(where, schema, found);
  }
  if (version > VERSION) throw newer(where, schema, version);
  if (version === VERSION) return;
  const { rowCount } = await query('SELECT FROM pg_namespace WHERE nspname = $1', [schema]);
  if (rowCount === 0) await query(`CREATE SCHEMA "${schema}"`);
  await query(migrationsFrom(version, schema));
}

const FOUND_TABLES = `SELECT relname AS table_name FROM pg_class
  JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE nspname = $1 AND relname = ANY ($2) ORDER BY relname`;

/** 0 when the table `meta` there is not one of ours. */
async function versionIn(query: InTransaction, schema: string): Promise<number> {
  await query('SAVEPOINT looking');
  try {
    const { rows } = await query<VersionRow>(inSchema(READ_VERSION.text, schema));
    return currentVersion(rows);
  } catch (error) {
    await query('ROLLBACK TO looking');
    return noVersion(error);
  }
}

/** No such schema, table or column: it is not our store. Any other error is thrown. */
function noVersion(error: unknown): number {
  const { code } = error as { code?: unknown };
  if (code === '3F000' || code === '42P01' || code === '42703') return 0;
  throw error;
}

function currentVersion(rows: readonly VersionRow[]): number {
  const meta = new Map(rows.map(({ key, value }) => [key, value]));
  const version = Number(meta.get('version'));
  return meta.get('format') === 'vibe-engine' && Number.isSafeInteger(version) ? version : 0;
}

function foreign(where: string, schema: string, tables: readonly string[]): StoreError {
  return new StoreError(
    'STORE_FOREIGN',
    phrase`The schema "${schema}" at ${where} holds tables of another program.`,
    {
      data: { where, schema, tables },
      hint: phrase`Name another schema in the settings (persistence.schema); nothing in this one was changed.`,
    },
  );
}

function newer(where: string, schema: string, version: number): StoreError {
  return new StoreError(
    'STORE_NEWER',
    phrase`The store in schema "${schema}" at ${where} has version ${version}; this program knows ${VERSION}.`,
    {
      data: { where, schema, version, supported: VERSION },
      hint: phrase`Update vibe-engine; the store was not changed.`,
    },
  );
}
