import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { unlessFull } from '../support/full.ts';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';
import { damagePostgres } from './damage-postgres.ts';
import { encryptedPlace, SEALED_ALIKE } from './encrypted.ts';
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

storageContract(
  'PostgreSQL, encrypted',
  {
    sealed: true,
    lease_seconds: LEASE_SECONDS,
    skip: {
      'a stopped owner keeps its task':
        'a lease that is not renewed runs out, whatever keeps its owner from renewing it.',
    },
    async fresh() {
      const schema = `contract_${randomBytes(6).toString('hex')}`;
      const address = { type: 'postgres', url: database.url, schema, lease_seconds: LONG_SECONDS } as const;
      const inside = {
        damage: damagePostgres(database, schema),
        strangers: () => [],
        remove: async () => {
          await database.query(`DROP SCHEMA ${schema} CASCADE`);
        },
      };
      return encryptedPlace(address, inside, { lease_seconds: LEASE_SECONDS });
    },
  },
  unlessFull(SEALED_ALIKE, []),
);
