/**
 * What others change, as hints: the server is asked for the heads that were written since. That costs a commit nothing, where
 * NOTIFY would make all commits of a server wait for each other, and works through a pooler, where LISTEN does not.
 *
 * Every commit to a task, every claim and every release writes its head, and a row names the transaction that wrote it. What
 * was not finished at the last look is older than what is finished now, so a look begins with the oldest that was not.
 */
import { createHints, type Hint, keepLooking } from '../hints.ts';
import type { Connection } from './connection.ts';

const ASK_MS = 350;

export async function* changesOn(connection: Connection, signal: AbortSignal): AsyncGenerator<Hint> {
  const hints = createHints(signal);
  const looking = openLooking(connection);
  await looking();
  hints.tell(null);
  const look = async (): Promise<number> => {
    for (const hint of await looking()) hints.tell(hint);
    return ASK_MS;
  };
  void keepLooking(look, ASK_MS, hints, signal);
  yield* hints.taken();
}

function openLooking(connection: Connection): () => Promise<Hint[]> {
  /** How far the server's log had got when everything in it was seen. */
  let end = '';
  let horizon: string | null = null;
  let records = '';
  let heads = '';
  return async () => {
    const [log] = await connection.query<{ end: string }>(END);
    if (log!.end === end) return [];
    const [seen] = await connection.query<Seen>(SINCE, [horizon]);
    const { tasks } = seen!;
    const more = seen!.heads !== heads || (seen!.records !== records && tasks.length === 0);
    const isFirst = horizon === null;
    // What is in progress is seen by a later look, even if nothing else is written.
    if (seen!.oldest === seen!.next) end = log!.end;
    horizon = seen!.oldest;
    records = seen!.records;
    heads = seen!.heads;
    return isFirst ? [] : more ? [...tasks, null] : tasks;
  };
}

interface Seen {
  oldest: string;
  next: string;
  records: string;
  heads: string;
  tasks: string[];
}

const END = { name: 'changes_end', text: 'SELECT pg_current_wal_insert_lsn()::text AS end' };

/**
 * Revisions of records have one sequence: what moved it without a head is outside tasks, as is what is
 * removed without one. A task that was removed has no head.
 */
const SINCE = {
  name: 'changes_since',
  text: `SELECT txid_snapshot_xmin(txid_current_snapshot()) AS oldest, txid_snapshot_xmax(txid_current_snapshot()) AS next,
      concat((SELECT last_value FROM $.numbers), ' ',
        (SELECT count(*) FROM $.persistence WHERE category < 'tasks' OR category > 'tasks')) AS records,
      (SELECT count(*) FROM $.heads) AS heads,
      ARRAY(SELECT task FROM $.heads
        WHERE $1::text IS NOT NULL AND age(xmin) <= age(($1::text::bigint % 4294967296)::text::xid)) AS tasks`,
};
