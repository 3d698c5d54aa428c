/** Holds rows of a store, so that what wants them waits. */
import { once } from 'node:events';
import { Client } from 'pg';
import type { TestDatabase } from './postgres.ts';

export async function lockHead(database: TestDatabase, task: string): Promise<{ release(): Promise<void> }> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query('BEGIN');
  await client.query('SELECT FROM vibe_engine.heads WHERE task = $1 FOR UPDATE', [task]);
  return {
    release: async () => {
      await client.query('COMMIT');
      const ended = once(client, 'end');
      await client.end();
      await ended;
    },
  };
}

/** So many, or more: the renewal of a lease may wait, too. */
export async function waitingForLocks(database: TestDatabase, count: number): Promise<void> {
  const sql = `SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE wait_event_type = 'Lock' AND datname = current_database()`;
  for (;;) if (((await database.query(sql))[0]!.count as number) >= count) return;
}
