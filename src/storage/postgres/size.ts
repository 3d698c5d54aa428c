/** How many bytes the rows of the store take: not the tables, which keep the room of deleted rows for later ones. */
import type { Connection } from './connection.ts';

export async function sizeOfStore(connection: Connection): Promise<number> {
  const [row] = await connection.query<{ bytes: string }>(SIZE, []);
  return Number(row!.bytes);
}

/** What a row takes besides its values: header, hash or key, and its places in indexes. */
const ROW = 150;

/** Sizes as they are stored, compressed or moved out of the row, so nothing large is read. */
const SIZE = {
  text: `SELECT
    (SELECT coalesce(sum(pg_column_size(data) + ${ROW}), 0) FROM $.persistence)
    + (SELECT coalesce(sum(coalesce(pg_column_size(data), 0) + ${ROW}), 0) FROM $.journal)
    + (SELECT coalesce(sum(size + ${ROW}), 0) FROM $.blobs) AS bytes`,
};
