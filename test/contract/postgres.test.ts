import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';
import type { Damage } from './harness.ts';
import { MODULE, openStore } from './open-store.ts';
import { storageContract } from './suite.ts';

const LEASE_SECONDS = 1.5;

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

storageContract('PostgreSQL', {
  lease_seconds: LEASE_SECONDS,
  skip: {
    'a stopped owner keeps its task':
      'a lease that is not renewed runs out, whatever keeps its owner from renewing it.',
  },
  async fresh() {
    const schema = `contract_${randomBytes(6).toString('hex')}`;
    const address = { type: 'postgres', url: database.url, schema, lease_seconds: LEASE_SECONDS } as const;
    return {
      open: () => openStore(address),
      child: { module: MODULE, args: address },
      damage: damageIn(schema),
      strangers: () => [],
      remove: async () => {
        await database.query(`DROP SCHEMA ${schema} CASCADE`);
      },
    };
  },
});

function damageIn(schema: string): Damage {
  const run = async (sql: string, ...values: unknown[]) => {
    const rows = await database.query(`${sql} RETURNING 1`, values);
    if (rows.length !== 1) throw new Error('There is nothing to damage.');
  };
  return {
    record: (category, key) =>
      run(
        `UPDATE ${schema}.persistence SET data = replace(data, 'a', 'b') WHERE category = $1 AND key = $2`,
        category,
        key,
      ),
    entry: (task, seq) =>
      run(`UPDATE ${schema}.journal SET data = '"damaged"' WHERE task = $1 AND seq = $2`, task, seq),
    blob: (task, id) =>
      run(`UPDATE ${schema}.blobs SET bytes = 'damaged!!' WHERE task = $1 AND id = $2`, task ?? '', id),
    age: (task, id, hours) =>
      run(
        `UPDATE ${schema}.blobs SET created_at = clock_timestamp() - $3 * interval '1 hour' WHERE task = $1 AND id = $2`,
        task ?? '',
        id,
        hours,
      ),
  };
}
