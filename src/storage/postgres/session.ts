/**
 * A session tells others that this process is dead as soon as it is, so that they need not wait for its leases. It is a
 * connection that holds a lock of the server, and every claim names the lock of its owner. When a process dies, its kernel
 * closes the connection, and the server frees the lock.
 *
 * A free lock has to mean a dead process: one that lives relies on its lease, and asks no server before it does something
 * (`Claim.live`). So a claim names a lock only while nothing else can end the session:
 *
 * - A proxy or a pooler may end it, or give it to others. The server has to see the address and port that we have here;
 *   otherwise there is no session, and the lease alone counts.
 * - A server that no longer reaches us may give it up. It is told to wait for longer than a lease, and the claims are
 *   renewed over this connection, so that their leases begin no later than that wait.
 * - A server that stops or crashes ends it. The table of the names is emptied by a crash, and each name holds when the
 *   server was started: those of an earlier start say nothing.
 * - A server may end sessions that are idle: not this one.
 * - We end it only once no claim names it: after the claims were renewed over another connection, or released.
 *
 * What is left is an administrator who ends it. That says that the process is dead; if it is not, it has `GRACE_MS` to open
 * another. Whatever it writes after its claim was taken is refused, as after a lease.
 */
import { randomBytes } from 'node:crypto';
import type { Client, QueryResultRow } from 'pg';
import { type Connection, endQuietly, inTime, type Statement } from './connection.ts';

/** How long a process that lost its session may take to open another. */
export const GRACE_MS = 500;

export interface Session {
  /** What claims name. */
  readonly lock: string;
  /** Once, with a limit on how long an answer may take. */
  send<Row extends QueryResultRow>(
    ms: number,
    statement: Statement,
    values: readonly unknown[],
  ): Promise<Row[]>;
  end(): void;
}

/** Null when there is something between this process and the server. `ended` is called if it is lost. */
export async function openSession(
  connection: Connection,
  { lease_ms, within_ms, ended }: { lease_ms: number; within_ms: number; ended: () => void },
): Promise<Session | null> {
  const client = await connection.own(within_ms);
  const ask = async <Row extends QueryResultRow>(
    ms: number,
    { text }: Statement,
    values: readonly unknown[],
  ) => (await inTime(client.query<Row>(connection.inSchema(text), [...values]), ms)).rows;
  try {
    const [seen] = await ask<Seen>(within_ms, SEEN, []);
    if (!isDirect(client, seen!)) {
      endQuietly(client);
      return null;
    }
    const lock = randomBytes(8).readBigInt64BE().toString();
    await ask(within_ms, HOLD, [lock, String(Math.ceil(lease_ms / 1000) + 1)]);
    client.once('end', ended);
    // It keeps no process alive.
    (client as Client & { unref(): void }).unref();
    return {
      lock,
      send: ask,
      end: () => endQuietly(client.off('end', ended)),
    };
  } catch (error) {
    endQuietly(client);
    throw error;
  }
}

interface Seen {
  address: string | null;
  port: number | null;
}

interface LocalEnd {
  readonly localAddress?: string;
  readonly localPort?: number;
}

/** Whether the server sees this end of the connection, and not that of something in between. */
function isDirect(client: Client, { address, port }: Seen): boolean {
  const { stream } = (client as Client & { connection: { stream: LocalEnd } }).connection;
  return address !== null && port === stream.localPort && address === plain(stream.localAddress ?? '');
}

/** As the server writes it. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/, '').replace(/%.*$/, '');
}

const SEEN = { text: 'SELECT host(inet_client_addr()) AS address, inet_client_port() AS port' };

/** `idle_session_timeout` came with version 14. */
const HOLD = {
  text: `SELECT pg_advisory_lock($1), set_config('tcp_keepalives_idle', $2, false), set_config('tcp_user_timeout', '0', false),
    CASE WHEN current_setting('idle_session_timeout', true) IS NOT NULL
      THEN set_config('idle_session_timeout', '0', false) END`,
};
