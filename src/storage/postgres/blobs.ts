/** Blobs: bytes, named by their hash. */
import { CorruptError, InvalidInputError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Backend, BlobInfo, NamedBlob } from '../backend.ts';
import { RENEW_AFTER_MS } from '../clock.ts';
import { byteArray, textArray } from './arrays.ts';
import type { Connection } from './connection.ts';
import { putBlobsSql } from './sql/blobs.ts';

export type Blobs = Pick<Backend, 'putBlobs' | 'getBlob' | 'listBlobs' | 'renewBlobs'>;

export function openBlobs(connection: Connection): Blobs {
  return {
    putBlobs: async (task, blobs) => {
      blobs.forEach(assertSize);
      const once = new Map(blobs.map((blob) => [blob.id, blob]));
      for (const part of inParts([...once.values()]))
        await connection.query(PUT, [task ?? '', ...blobColumns(part)]);
    },
    getBlob: async (task, id) => {
      const [row] = await connection.query<{ bytes: Buffer }>(GET, [task ?? '', id]);
      if (!row) return null;
      const { buffer, byteOffset, length } = row.bytes;
      return new Uint8Array(buffer, byteOffset, length);
    },
    renewBlobs: async (task, ids) => {
      const values = [task ?? '', textArray(ids)];
      const rows = await connection.query<{ id: string }>(RENEW, values);
      const there = new Set(rows.map(({ id }) => id));
      return ids.filter((id) => there.has(id));
    },
    async *listBlobs(task) {
      let after = '';
      for (;;) {
        const rows = await connection.query<BlobRow>(LIST, [task ?? '', after, PAGE]);
        for (const row of rows) yield infoOf(row);
        if (rows.length < PAGE) return;
        after = rows.at(-1)!.id;
      }
    },
  };
}

/** Their ids and their bytes. */
export function blobColumns(blobs: readonly NamedBlob[]): [ids: Buffer, bytes: Buffer] {
  return [textArray(blobs.map(({ id }) => id)), byteArray(blobs.map(({ bytes }) => bytes))];
}

/** The driver hands bytes back as one text of two digits for each, which must fit into a string. */
const MOST_BYTES = 255 * 1024 * 1024;

function assertSize({ id, bytes }: NamedBlob): void {
  if (bytes.length <= MOST_BYTES) return;
  throw new InvalidInputError('USAGE', phrase`A blob of ${bytes.length} bytes is too large for PostgreSQL.`, {
    data: { id, size: bytes.length, limit: MOST_BYTES },
    hint: phrase`Split it into parts of at most ${MOST_BYTES} bytes.`,
  });
}

export function damagedBlob(task: string | null, id: string): CorruptError {
  return new CorruptError(phrase`The blob ${id} is not what was stored.`, {
    data: { task, id, where: 'blobs' },
    hint: phrase`It was damaged, or changed by something other than the store. Restore the row from a backup.`,
  });
}

interface BlobRow {
  id: string;
  size: string;
  created_at: Date;
}

function infoOf({ id, size, created_at }: BlobRow): BlobInfo {
  return { id, size: Number(size), created_at: created_at.toISOString() };
}

const PAGE = 1000;
const PART_BYTES = 16 * 1024 * 1024;

/** What goes in one statement; a single blob may be larger. */
function inParts(blobs: readonly NamedBlob[]): NamedBlob[][] {
  const parts: NamedBlob[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const blob of blobs) {
    if (size + blob.bytes.length > PART_BYTES) {
      parts.push([]);
      size = 0;
    }
    parts.at(-1)!.push(blob);
    size += blob.bytes.length;
  }
  return parts;
}

const PUT = { text: putBlobsSql('$1', '$2', '$3') };
/** Locked in order of the ids, as above; after waiting for a lock, a deleted row is seen as deleted. */
const RENEW = {
  text: `WITH there AS MATERIALIZED (
      SELECT id FROM $.blobs WHERE task = $1 AND id = ANY ($2::text[]) ORDER BY id FOR UPDATE
    ), renewed AS (
      UPDATE $.blobs b SET created_at = clock_timestamp() FROM there
      WHERE b.task = $1 AND b.id = there.id
        AND b.created_at < clock_timestamp() - interval '${RENEW_AFTER_MS} milliseconds'
    )
    SELECT id FROM there`,
};
const GET = { name: 'blob', text: 'SELECT bytes FROM $.blobs WHERE task = $1 AND id = $2' };
const LIST = {
  text: 'SELECT id, size, created_at FROM $.blobs WHERE task = $1 AND id > $2 ORDER BY id LIMIT $3',
};
