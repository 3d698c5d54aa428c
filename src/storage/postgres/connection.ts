/** The connection pool: statements are sent again if their connection is lost. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, ClientConfig, Pool, QueryResult, QueryResultRow } from 'pg';
import { ConfigError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { closed, faultOf, isConflict, isPassing, unavailable } from './faults.ts';
import { type Line, openLine } from './line.ts';
import type { Settings } from './options.ts';
import { inSchema } from './schema.ts';

export interface Connection {
  readonly where: string;
  /** Runs a statement that may safely run twice. */
  query<Row extends QueryResultRow>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>;
  /** The same, without retrying. */
  once<Row extends QueryResultRow>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>;
  /**
   * Without retrying, and without waiting longer than that for a connection or an answer; optionally on a connection of its
   * own.
   */
  within<Row extends QueryResultRow>(
    limit: { readonly ms: number; readonly connect: 'pooled' | 'fresh' },
    statement: Statement,
    values: readonly unknown[],
  ): Promise<Row[]>;
  /** Runs several statements on one connection, in one transaction, once. */
  transaction<T>(run: (query: InTransaction) => Promise<T>): Promise<T>;
  /**
   * Retries while errors are transient, for as long as the caller wants to wait. `outcome` says what is known when it gives
   * up.
   */
  patiently<T>(run: (isFirst: boolean) => Promise<T>, outcome?: 'unknown'): Promise<T>;
  /** For `patiently`: once, with the driver's own errors. */
  send<Row extends QueryResultRow>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>;
  line(): Line;
  /** A connection outside the pool, for its caller to end. */
  own(ms: number): Promise<Client>;
  inSchema(sql: string): string;
  end(): Promise<void>;
}

export interface Statement {
  /** For what is called often: the server keeps its plan. */
  readonly name?: string;
  /** `$.` stands for the schema. */
  readonly text: string;
  /** For many rows: each as an array of its values. */
  readonly rowMode?: 'array';
}

/** Runs a statement as it is. */
export type InTransaction = <Row extends QueryResultRow>(
  text: string,
  values?: unknown[],
) => Promise<QueryResult<Row>>;

const CONNECT_TIMEOUT_MS = 10_000;
/** Longer than any normal statement takes; without it a silent network would block a call forever. */
const ANSWER_TIMEOUT_MS = 120_000;
const FIRST_WAIT_MS = 20;
const LONGEST_WAIT_MS = 1000;

export async function connect(settings: Settings): Promise<Connection> {
  const { where, schema, patience_ms } = settings;
  const driver = await loadDriver();
  const pool = makePool(driver, settings);
  const prepared = new Map<string, Statement>();
  /** Of lines that keep a connection and are not using it: each gives it back. */
  const idle = new Set<() => void>();
  let ended = false;

  function inThisSchema(statement: Statement): Statement {
    const known = prepared.get(statement.text);
    if (known) return known;
    const text = inSchema(statement.text, schema);
    // Statements without a name are not cached: there may be any number of them.
    if (statement.name === undefined) return { ...statement, text };
    const made = { ...statement, text, name: `vibe_engine_${statement.name}` };
    prepared.set(statement.text, made);
    return made;
  }

  function inThisSchemaIfOpen(statement: Statement): Statement {
    if (ended) throw closed(where);
    return inThisSchema(statement);
  }

  async function send<Row extends QueryResultRow>(
    statement: Statement,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    if (ended) throw closed(where);
    if (pool.idleCount === 0) for (const giveBack of idle) giveBack(); // Another connection takes far longer.
    const query = {
      ...inThisSchema(statement),
      values: values as unknown[],
      query_timeout: ANSWER_TIMEOUT_MS,
    };
    const result = await pool.query<Row>(query);
    const { rows } = result;
    // The driver's timer holds on to the result. One dead timer keeps the next alive until the whole heap is collected: a long
    // journal would be in memory many times over.
    result.rows = [];
    return rows;
  }

  async function sendWithin<Row extends QueryResultRow>(
    ms: number,
    statement: Statement,
    values: readonly unknown[],
  ): Promise<Row[]> {
    if (ended) throw closed(where);
    const query = { ...inThisSchema(statement), values: values as unknown[], query_timeout: ms };
    return (await inTime(pool.query<Row>(query), ms)).rows;
  }

  async function own(ms: number): Promise<Client> {
    if (ended) throw closed(where);
    const client = new driver.Client({ ...connectionOf(settings), connectionTimeoutMillis: ms });
    client.on('error', () => {});
    try {
      await inTime(client.connect(), ms);
      return client;
    } catch (error) {
      endQuietly(client);
      throw error;
    }
  }

  async function sendAlone<Row extends QueryResultRow>(
    ms: number,
    { text }: Statement,
    values: readonly unknown[],
  ): Promise<Row[]> {
    const deadline = performance.now() + ms;
    const client = await own(ms);
    try {
      const answer = client.query<Row>(inSchema(text, schema), [...values]);
      return (await inTime(answer, deadline - performance.now())).rows;
    } finally {
      endQuietly(client);
    }
  }

  async function patiently<T>(run: (isFirst: boolean) => Promise<T>, outcome?: 'unknown'): Promise<T> {
    const deadline = performance.now() + patience_ms;
    for (let attempt = 1, wait = FIRST_WAIT_MS; ; attempt++, wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
      try {
        return await run(attempt === 1);
      } catch (error) {
        if (!isPassing(error)) throw faultOf(where, error);
        if (performance.now() + wait > deadline) throw unavailable(where, error, outcome);
        // Random, so that transactions that conflicted do not retry at the same moment.
        await sleep(isConflict(error) ? Math.random() * FIRST_WAIT_MS : wait);
      }
    }
  }

  return {
    where,
    send,
    line: () => openLine(pool, { idle, answer_ms: ANSWER_TIMEOUT_MS, prepare: inThisSchemaIfOpen }),
    own,
    inSchema: (sql) => inSchema(sql, schema),
    patiently,
    query: (statement, values) => patiently(() => send<never>(statement, values)),
    once: (statement, values) => faulty(where, send<never>(statement, values)),
    within: ({ ms, connect }, statement, values) =>
      faulty(where, (connect === 'fresh' ? sendAlone : sendWithin)<never>(ms, statement, values)),
    transaction: async (run) => {
      const client = await faulty(where, pool.connect());
      const query: InTransaction = <Row extends QueryResultRow>(text: string, values: unknown[] = []) => {
        const config = { text, values, query_timeout: ANSWER_TIMEOUT_MS };
        return client.query<Row>(config);
      };
      let failure: Error | undefined;
      try {
        await query('BEGIN');
        const result = await run(query);
        await query('COMMIT');
        return result;
      } catch (error) {
        // A connection with an open transaction is not given back.
        failure = error as Error;
        throw faultOf(where, error);
      } finally {
        client.release(failure);
      }
    },
    end: async () => {
      if (ended) return;
      ended = true;
      await pool.end();
    },
  };
}

export async function inTime<T>(answer: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(phrase`timeout: no answer in time`)), ms);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function faulty<T>(where: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw faultOf(where, error);
  }
}

type Driver = typeof import('pg');

async function loadDriver(): Promise<Driver> {
  try {
    const loaded = (await import('pg')) as Driver & { default?: Driver };
    return loaded.default ?? loaded;
  } catch (cause) {
    throw new ConfigError('MISSING_DEPENDENCY', phrase`The PostgreSQL back end needs the package "pg".`, {
      data: { package: 'pg' },
      cause,
      hint: phrase`Install it: npm install pg`,
    });
  }
}

/** Whatever goes wrong with its goodbye, the connection is over. */
export function endQuietly(client: Client): void {
  client.end().catch(() => {});
}

function connectionOf({ url }: Settings): ClientConfig {
  return { connectionString: url, keepAlive: true, application_name: 'vibe-engine' };
}

function makePool({ Pool }: Driver, settings: Settings): Pool {
  const pool = new Pool({
    ...connectionOf(settings),
    max: settings.pool_size,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    allowExitOnIdle: true,
  });
  // An idle connection that ends is replaced when the next is needed; the call that needs it reports any error.
  pool.on('error', () => {});
  // The same while one is in use: its statement fails with it.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}
