/**
 * Entries alone, appended by the owner of their task: the common commit. Two rows are written, the entry and the head, and
 * nothing is left to answer from if the connection is lost (see appends.ts).
 */
import { putBlobsSql } from './blobs.ts';
import { mayWrite } from './commit.ts';

const HEAD = `head AS (
      UPDATE $.heads SET seq = seq + 1, hash = $6, listed = true
      WHERE task = $1 AND seq = $4 AND hash = $5 AND ${mayWrite('$2::bigint', '$3::uuid')}
      RETURNING seq
    )`;
const ENTRY = 'INSERT INTO $.journal (task, seq, hash, data) SELECT $1, seq, $6, $7 FROM head';

/** One entry; writes nothing where the head is not as it should be. */
export const APPEND_ONE = { name: 'append_one', text: `WITH ${HEAD} ${ENTRY}` };

/** The same with store-wide blobs, which are stored also if the entry is not. */
export const APPEND_WITH_BLOBS = {
  name: 'append_with_blobs',
  text: `WITH blob AS (${putBlobsSql("''", '$8', '$9')}), ${HEAD} ${ENTRY}`,
};

export const PUT_BLOBS = { text: putBlobsSql("''", '$1', '$2') };

/**
 * Entries of several tasks, each of which is written or not on its own; returns the tasks that were not. The heads are
 * locked in the order in which all others lock them.
 */
export const APPEND_SEVERAL = {
  name: 'append_several',
  text: `
    WITH given AS MATERIALIZED (
      SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::bigint[], $7::text[])
        AS g (task, fence, owner, seq, hash, end_seq, end_hash)
    ), locked AS MATERIALIZED (
      SELECT h.task FROM given g JOIN $.heads h ON h.task = g.task AND h.seq = g.seq AND h.hash = g.hash
      WHERE ${mayWrite('g.fence', 'g.owner::uuid', 'h.')} ORDER BY h.task FOR UPDATE OF h
    ), head AS (
      UPDATE $.heads h SET seq = g.end_seq, hash = g.end_hash, listed = true FROM locked JOIN given g USING (task)
      WHERE h.task = locked.task RETURNING h.task
    ), entry AS (
      INSERT INTO $.journal (task, seq, hash, data)
      SELECT e.task, e.seq, e.hash, e.data
      FROM unnest($8::text[], $9::bigint[], $10::text[], $11::text[]) AS e (task, seq, hash, data)
      JOIN head USING (task)
    )
    SELECT task FROM given WHERE task NOT IN (SELECT task FROM locked)`,
};

/** Those whose last entry is in its journal. */
export const FIND_APPENDED = {
  text: `SELECT task FROM unnest($1::text[], $2::bigint[], $3::text[]) AS g (task, seq, hash)
    JOIN $.journal USING (task, seq, hash)`,
};
