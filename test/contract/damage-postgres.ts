/** Changes rows of a PostgreSQL store. */
import type { TestDatabase } from '../support/postgres.ts';
import type { Damage } from './harness.ts';

export function damagePostgres(database: TestDatabase, schema: string): Damage {
  const run = async (sql: string, ...values: unknown[]) => {
    const rows = await database.query(`${sql} RETURNING 1`, values);
    if (rows.length !== 1) throw new Error('There is nothing to damage.');
  };
  return {
    record: (category, key) =>
      run(
        `UPDATE ${schema}.persistence SET data = replace(data, left(right(data, 3), 1), '#') WHERE category = $1 AND key = $2`,
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
