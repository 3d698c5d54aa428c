/** Storing blobs, by themselves or with an entry. */
import { RENEW_AFTER_MS } from '../../clock.ts';

/**
 * Of the parameters for the task, the ids and the bytes. In order of the ids, so that two writers of the same blobs do not
 * deadlock. A damaged blob is repaired: storing its bytes again promises that they can be read.
 */
export function putBlobsSql(task: string, ids: string, bytes: string): string {
  return `INSERT INTO $.blobs (task, id, size, bytes)
    SELECT ${task}, id, octet_length(bytes), bytes FROM unnest(${ids}::text[], ${bytes}::bytea[]) AS b (id, bytes)
    ORDER BY id
    ON CONFLICT (task, id) DO UPDATE SET size = excluded.size, created_at = excluded.created_at,
      bytes = CASE WHEN blobs.bytes IS DISTINCT FROM excluded.bytes THEN excluded.bytes ELSE blobs.bytes END
    WHERE blobs.bytes IS DISTINCT FROM excluded.bytes
      OR blobs.created_at < clock_timestamp() - interval '${RENEW_AFTER_MS} milliseconds'`;
}
