/** Frees what is no longer reachable, and the space of deleted rows. */
import type { Connection } from './connection.ts';
import { TABLES } from './schema.ts';

/** Returns how much smaller the tables are. */
export async function removeLeftovers(connection: Connection): Promise<number> {
  const before = await sizeOfTables(connection);
  await connection.query(ONLY_BLOBS);
  await connection.query({ text: 'DELETE FROM $.damaged' });
  // FULL rewrites each table: otherwise pages keep the bytes of deleted rows.
  for (const table of TABLES) await connection.query({ text: `VACUUM (FULL) $.${table}` });
  return Math.max(0, before - (await sizeOfTables(connection)));
}

async function sizeOfTables(connection: Connection): Promise<number> {
  const sizes = TABLES.map((table) => `pg_total_relation_size('$.${table}'::regclass)`).join(' + ');
  const [row] = await connection.query<{ bytes: string }>({ text: `SELECT ${sizes} AS bytes` });
  return Number(row!.bytes);
}

/** Of tasks that have nothing else and no owner. */
const ONLY_BLOBS = {
  text: `DELETE FROM $.blobs b WHERE task <> '' AND NOT EXISTS (
      SELECT FROM $.heads h WHERE h.task = b.task AND (listed OR lease_until > clock_timestamp()))`,
};
