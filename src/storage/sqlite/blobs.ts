/** Blobs as rows, each stored once by content and checked against its own name. */
import type { DatabaseSync } from 'node:sqlite';
import { CorruptError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { isWholeBlob } from '../blob-names.ts';
import { isStale } from '../clock.ts';
import type { BlobInfo } from '../contract.ts';
import { seal } from './seal.ts';

export interface Blobs {
  get(task: string, name: string): Uint8Array | null;
  put(task: string, name: string, bytes: Uint8Array, now: string): void;
  /** Blobs whose name follows `after`, verified except for their bytes. */
  page(task: string, after: string): BlobInfo[];
  /** Counts it as stored now; false if it does not exist. */
  renew(task: string, name: string, now: string): boolean;
  /** With a time, only if it was stored before. */
  remove(task: string, name: string, stored_before?: string): boolean;
  removeOf(task: string): number;
}

export interface BlobRow {
  readonly id: number;
  readonly task: string;
  readonly name: string;
  readonly size: number;
  readonly created_at: string;
  readonly checksum: number;
  readonly bytes: Uint8Array;
}

const PAGE = 500;

export function openBlobs(db: DatabaseSync): Blobs {
  const select = db.prepare('SELECT * FROM blobs WHERE task = ? AND name = ?');
  const put = db.prepare(
    `INSERT INTO blobs (task, name, size, created_at, checksum, bytes) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (task, name) DO UPDATE SET size = excluded.size, created_at = excluded.created_at,
       checksum = excluded.checksum, bytes = excluded.bytes`,
  );
  const page = db.prepare(
    `SELECT id, task, name, size, created_at, checksum FROM blobs WHERE task = ? AND name > ?
     ORDER BY name LIMIT ${PAGE}`,
  );
  const info = db.prepare(
    'SELECT id, task, name, size, created_at, checksum FROM blobs WHERE task = ? AND name = ?',
  );
  const date = db.prepare('UPDATE blobs SET created_at = ?, checksum = ? WHERE id = ?');
  const drop = db.prepare('DELETE FROM blobs WHERE task = ? AND name = ?');
  const dropOld = db.prepare('DELETE FROM blobs WHERE task = ? AND name = ? AND created_at < ?');
  const dropOf = db.prepare('DELETE FROM blobs WHERE task = ?');

  const renew = (row: Omit<BlobRow, 'bytes'>, created_at: string): void => {
    if (isStale(row.created_at)) date.run(created_at, sealBlob({ ...row, created_at }), row.id);
  };

  return {
    get(task, name) {
      const row = select.get(task, name) as unknown as BlobRow | undefined;
      if (!row) return null;
      if (sealBlob(row) !== row.checksum) throw damagedBlob(row);
      return row.bytes;
    },
    put(task, name, bytes, created_at) {
      const there = select.get(task, name) as unknown as BlobRow | undefined;
      // A damaged one is replaced: we have the right bytes.
      if (there && isIntact(there)) return void renew(there, created_at);
      const size = bytes.length;
      put.run(task, name, size, created_at, sealBlob({ task, name, size, created_at }), bytes);
    },
    page(task, after) {
      const rows = page.all(task, after) as unknown as BlobRow[];
      return rows.map((row) => {
        if (sealBlob(row) !== row.checksum) throw damagedBlob(row);
        return { id: row.name, size: row.size, created_at: row.created_at };
      });
    },
    renew(task, name, now) {
      const row = info.get(task, name) as unknown as Omit<BlobRow, 'bytes'> | undefined;
      if (row && sealBlob(row) !== row.checksum) throw damagedBlob(row);
      if (row) renew(row, now);
      return row !== undefined;
    },
    remove(task, name, stored_before) {
      const { changes } =
        stored_before === undefined ? drop.run(task, name) : dropOld.run(task, name, stored_before);
      return changes !== 0;
    },
    removeOf: (task) => Number(dropOf.run(task).changes),
  };
}

export function isIntact(row: BlobRow): boolean {
  return sealBlob(row) === row.checksum && row.bytes.length === row.size && isWholeBlob(row.name, row.bytes);
}

function sealBlob(row: Pick<BlobRow, 'task' | 'name' | 'size' | 'created_at'>): number {
  return seal(`${row.task}\n${row.name}\n${row.size}\n${row.created_at}`);
}

function damagedBlob(row: Pick<BlobRow, 'id' | 'task' | 'name'>): CorruptError {
  return new CorruptError(phrase`The blob ${row.name} is not what was stored.`, {
    data: { task: row.task || null, id: row.name, where: `blobs row ${row.id}` },
    hint: phrase`Put the same bytes again to repair it; what refers to it cannot be loaded until then.`,
  });
}
