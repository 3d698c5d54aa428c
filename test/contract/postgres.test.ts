import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';
import { damagePostgres } from './damage-postgres.ts';
import { MODULE, openStore } from './open-store.ts';
import { storageContract } from './suite.ts';

/** Of children, which are killed and stopped. */
const LEASE_SECONDS = 1.5;
/** Of what runs in this process: longer than a busy machine keeps it waiting. */
const LONG_SECONDS = 60;

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
    const address = { type: 'postgres', url: database.url, schema, lease_seconds: LONG_SECONDS } as const;
    const short = { ...address, lease_seconds: LEASE_SECONDS };
    return {
      open: () => openStore(address),
      child: { module: MODULE, args: short },
      damage: damagePostgres(database, schema),
      strangers: () => [],
      remove: async () => {
        await database.query(`DROP SCHEMA ${schema} CASCADE`);
      },
    };
  },
});
