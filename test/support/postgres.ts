/**
 * PostgreSQL for tests, benches and crash campaigns: `freshDatabase()` is what most want. The server is `DATABASE_URL`
 * when set, else the one of the test run, else one of this process's own, started when first asked for and gone with it.
 */
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
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

/** The port at which a test run says where its server is (one-server.ts). */
export const ASKED_AT = 'VIBE_TEST_POSTGRES';

/** `stop` it when done early; it ends with the process anyway, or with the test run. */
export async function withPostgres(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const run = process.env[ASKED_AT];
  const given = process.env.DATABASE_URL ?? (run && (await text(connect(Number(run), '127.0.0.1'))));
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

/** An empty database on that server, or on the one given. */
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
