/** Journal entries as rows: the indexed ones through their places, the newest ones by a look at the tail. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Tail } from './tail.ts';

export interface EntryRow {
  readonly seq: number;
  readonly hash: string;
  readonly data: string;
}

export interface Entries {
  /** Rows as they are, in order or from the last one down; both numbers inclusive. */
  rows(head: number, from: number, to: number, reverse?: boolean): Iterable<EntryRow>;
  /** Deletes them; returns how many bytes. */
  remove(head: number, from: number, to: number): number;
}

export function openEntries(db: DatabaseSync, tail: Tail): Entries {
  const inSpan = 'head = ? AND seq >= ? AND seq <= ?';
  const indexed = `SELECT p.seq, j.hash, j.data FROM places p
    JOIN journal j ON j.id = p.row AND j.head = p.head AND j.seq = p.seq
    WHERE p.head = ? AND p.seq >= ? AND p.seq <= ? ORDER BY p.seq`;
  const recent = `SELECT seq, hash, data FROM journal WHERE ${inSpan} AND id > ? ORDER BY id`;
  const indexedUp = db.prepare(indexed);
  const indexedDown = db.prepare(`${indexed} DESC`);
  const recentUp = db.prepare(recent);
  const recentDown = db.prepare(`${recent} DESC`);
  const weigh = db.prepare(
    `SELECT coalesce(sum(octet_length(data)), 0) AS bytes FROM journal
     WHERE id IN (SELECT row FROM places WHERE ${inSpan})`,
  );
  const drop = db.prepare(`DELETE FROM journal WHERE id IN (SELECT row FROM places WHERE ${inSpan})`);
  const dropPlaces = db.prepare(`DELETE FROM places WHERE ${inSpan}`);

  return {
    // Entries of the tail have higher numbers than the indexed ones of the same journal.
    *rows(head, from, to, reverse = false) {
      if (reverse) yield* each(recentDown, head, from, to, tail.after());
      yield* each(reverse ? indexedDown : indexedUp, head, from, to);
      if (!reverse) yield* each(recentUp, head, from, to, tail.after());
    },
    remove(head, from, to) {
      tail.settle();
      const { bytes } = weigh.get(head, from, to) as { bytes: number };
      drop.run(head, from, to);
      dropPlaces.run(head, from, to);
      return bytes;
    },
  };
}

function each(statement: StatementSync, ...values: number[]): Iterable<EntryRow> {
  return statement.iterate(...values) as Iterable<unknown> as Iterable<EntryRow>;
}
