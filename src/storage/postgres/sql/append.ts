/**
 * Entries that the owner of a task appends, alone or with one of its records: the common commits. Nothing is left to answer
 * from if the connection is lost, but for the entry itself, which keeps the receipt of the record (see appends.ts). A
 * statement of its own costs the server less than a function does. Where the head is not as it should be, it writes nothing.
 */
import { putBlobsSql } from './blobs.ts';
import { mayWrite } from './commit.ts';

/** An inserted row has no xmax, one that was there before has. The receipt: revision, row, whether it was there. */
const upsertRecord = (rows: string) => `
  INSERT INTO $.persistence (category, key, data, revision, updated_at, checksum) ${rows}
  ON CONFLICT (category, key) DO UPDATE SET data = excluded.data, revision = excluded.revision,
    updated_at = excluded.updated_at, checksum = excluded.checksum
  RETURNING key, concat('[', revision, ',"', id, '",', (xmax::text <> '0')::text, ']') AS receipt`;

const HEAD = `head AS (
      UPDATE $.heads SET seq = seq + 1, hash = $6, listed = true
      WHERE task = $1 AND seq = $4 AND hash = $5 AND ${mayWrite('$2::bigint', '$3::uuid')}
      RETURNING seq
    )`;
const ENTRY = `${HEAD} INSERT INTO $.journal (task, seq, hash, data) SELECT $1, seq, $6, $7 FROM head`;
const ENTRY_AND_RECORD = `${HEAD}, record AS (
      ${upsertRecord("SELECT $8, $9, $10, nextval('$.numbers'), now(), $11 FROM head")}
    )
    INSERT INTO $.journal (task, seq, hash, data, receipt) SELECT $1, seq, $6, $7, receipt FROM head, record
    RETURNING receipt`;

/** With store-wide blobs, which are stored also if the entry is not. */
const blobsFrom = (first: number) => `blob AS (${putBlobsSql("''", `$${first}`, `$${first + 1}`)})`;

/** One entry, by whether there is a record and whether there are blobs. */
export const APPEND_ONE = {
  alone: { name: 'append_one', text: `WITH ${ENTRY}` },
  withBlobs: { name: 'append_with_blobs', text: `WITH ${blobsFrom(8)}, ${ENTRY}` },
};
export const STEP_ONE = {
  alone: { name: 'step_one', text: `WITH ${ENTRY_AND_RECORD}` },
  withBlobs: { name: 'step_with_blobs', text: `WITH ${blobsFrom(12)}, ${ENTRY_AND_RECORD}` },
};

export const PUT_BLOBS = { text: putBlobsSql("''", '$1', '$2') };

/** Their tasks and heads: locked in the order in which all others lock them. */
const heads = (parameters = '', names = ''): string => `
    given AS MATERIALIZED (
      SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::bigint[], $7::text[]${parameters})
        AS g (task, fence, owner, seq, hash, end_seq, end_hash${names})
    ), locked AS MATERIALIZED (
      SELECT h.task FROM given g JOIN $.heads h ON h.task = g.task AND h.seq = g.seq AND h.hash = g.hash
      WHERE ${mayWrite('g.fence', 'g.owner::uuid', 'h.')} ORDER BY h.task FOR UPDATE OF h
    ), head AS (
      UPDATE $.heads h SET seq = g.end_seq, hash = g.end_hash, listed = true FROM locked JOIN given g USING (task)
      WHERE h.task = locked.task RETURNING h.task, g.end_seq${names}
    )`;
const ENTRIES = 'unnest($8::text[], $9::bigint[], $10::text[], $11::text[]) AS e (task, seq, hash, data)';

/** Entries of several tasks, each of which is written or not on its own; returns the tasks that were not. */
export const APPEND_SEVERAL = {
  name: 'append_several',
  text: `
    WITH ${heads()}, entry AS (
      INSERT INTO $.journal (task, seq, hash, data)
      SELECT e.task, e.seq, e.hash, e.data FROM ${ENTRIES} JOIN head USING (task)
    )
    SELECT task FROM given WHERE task NOT IN (SELECT task FROM locked)`,
};

/** The same with a record of some of them; returns the tasks that were written, and the receipts of their records. */
export const STEP_SEVERAL = {
  name: 'step_several',
  text: `
    WITH ${heads(', $12::text[], $13::text[], $14::text[], $15::text[]', ', category, key, record, checksum')}, record AS (
      ${upsertRecord(`SELECT category, key, record, nextval('$.numbers'), now(), checksum
        FROM head WHERE key IS NOT NULL`)}
    ), written AS (
      SELECT task, end_seq, receipt FROM head LEFT JOIN record USING (key)
    ), entry AS (
      INSERT INTO $.journal (task, seq, hash, data, receipt)
      SELECT e.task, e.seq, e.hash, e.data, CASE WHEN e.seq = end_seq THEN receipt END
      FROM ${ENTRIES} JOIN written USING (task)
    )
    SELECT task, receipt FROM written`,
};

/** Those whose last entry is in its journal. */
export const FIND_APPENDED = {
  text: `SELECT task, receipt FROM unnest($1::text[], $2::bigint[], $3::text[]) AS g (task, seq, hash)
    JOIN $.journal USING (task, seq, hash)`,
};
