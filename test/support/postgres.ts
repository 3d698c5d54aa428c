/**
 * PostgreSQL for tests, benches and crash campaigns: `freshDatabase()` is what most want. The server is `DATABASE_URL`
 * when set, else one of this process's own, started when first asked for and gone with the process.
 */
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { type PostgresServer, startPostgresServer } from './postgres-server.ts';

export { type PostgresServer, startPostgresServer } from './postgres-server.ts';

export interface TestDatabase {
  readonly url: string;
  /** Runs SQL past the storage under test; answers the rows of the last statement. */
  query(sql: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  drop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

let own: Promise<PostgresServer> | undefined;

/** This process's server. `stop` it when done early; it ends with the process anyway. */
export async function withPostgres(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const given = process.env.DATABASE_URL;
  if (given) return { url: given, stop: async () => {} };
  own ??= startPostgresServer();
  const { url, stop } = await own;
  return {
    url,
    stop: async () => {
      own = undefined;
      await stop();
    },
  };
}

/** An empty database on this process's server, or on the one given. */
export async function freshDatabase(server?: { readonly url: string }): Promise<TestDatabase> {
  const { url: admin } = server ?? (await withPostgres());
  const name = `vibe_test_${randomBytes(6).toString('hex')}`;
  await query(admin, `CREATE DATABASE ${name}`);
  const url = new URL(admin);
  url.pathname = `/${name}`;
  const drop = async () => {
    await query(admin, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  };
  return {
    url: url.href,
    query: (sql, values) => query(url.href, sql, values),
    drop,
    [Symbol.asyncDispose]: drop,
  };
}

async function query(
  url: string,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const result = await client.query<Record<string, unknown>>(sql, [...values]);
    return result.rows;
  } finally {
    await client.end();
  }
}
