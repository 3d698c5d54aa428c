/** Journal entries as rows: the indexed ones through their places, the newest ones by a look at the tail. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { EntryText, Position } from '../backend.ts';
import { hexHash } from './stored-hash.ts';
import type { Tail } from './tail.ts';

export interface Entries {
  /** Rows as they are, in order; both numbers inclusive. */
  rows(head: number, from: number, to: number): Iterable<EntryText>;
  /** At most so many of them, from the first one or from the last one, in order; those with much text may be left for later. */
  some(head: number, from: number, to: number, reverse: boolean, most: number): EntryText[];
  /** Undefined when there is no such row. */
  hashAt(head: number, seq: number): string | undefined;
  /** Deletes them; returns how many bytes. */
  remove(head: number, from: number, to: number): number;
}

/** Longer texts are read one by one, so that many of them are not in memory at once. */
const LONG_BYTES = 1 << 14;
/** How many characters are read together, but for the last text. Twice as many take 60 MB more in a long task. */
const CHARACTERS = 1 << 17;
const FEWEST_ROWS = 16;
const MOST_ROWS = 512;

/** How many rows to read together, by the length of those that were read last. */
export function rowsLike(texts: readonly { readonly text: string }[]): number {
  const characters = texts.reduce((sum, { text }) => sum + text.length, 0);
  const rows = Math.ceil((CHARACTERS * texts.length) / Math.max(1, characters));
  return Math.min(MOST_ROWS, Math.max(FEWEST_ROWS, rows));
}

export function openEntries(db: DatabaseSync, tail: Tail): Entries {
  const inSpan = 'head = ? AND seq >= ? AND seq <= ?';
  const indexed = (columns: string) => `SELECT ${columns} FROM places p
    JOIN journal j ON j.id = p.row AND j.head = p.head AND j.seq = p.seq
    WHERE p.head = ? AND p.seq >= ? AND p.seq <= ? ORDER BY p.seq`;
  const recent = (columns: string) =>
    `SELECT ${columns} FROM journal j WHERE j.head = ? AND j.seq >= ? AND j.seq <= ? AND j.id > ? ORDER BY j.id`;
  const whole = 'j.seq, j.hash, j.data';
  const indexedRows = db.prepare(indexed(whole));
  const recentRows = db.prepare(recent(whole));
  const short = `j.seq, j.hash, iif(octet_length(j.data) <= ${LONG_BYTES}, j.data, NULL), j.id`;
  const indexedUp = inArrays(db, `${indexed(short)} LIMIT ?`);
  const indexedDown = inArrays(db, `${indexed(short)} DESC LIMIT ?`);
  const recentUp = inArrays(db, `${recent(short)} LIMIT ?`);
  const recentDown = inArrays(db, `${recent(short)} DESC LIMIT ?`);
  const indexedHash = inArrays(db, indexed('j.hash'));
  const recentHash = inArrays(db, recent('j.hash'));
  const longText = inArrays(db, 'SELECT data FROM journal WHERE id = ?');
  const weigh = db.prepare(
    `SELECT coalesce(sum(octet_length(data)), 0) AS bytes FROM journal
     WHERE id IN (SELECT row FROM places WHERE ${inSpan})`,
  );
  const drop = db.prepare(`DELETE FROM journal WHERE id IN (SELECT row FROM places WHERE ${inSpan})`);
  const dropPlaces = db.prepare(`DELETE FROM places WHERE ${inSpan}`);

  // Entries of the tail have higher numbers than the indexed ones of the same journal.
  const find = (head: number, from: number, to: number, reverse: boolean, most: number): ShortRow[] => {
    const after = tail.after();
    const ofIndex = (n: number) => (reverse ? indexedDown : indexedUp).all(head, from, to, n);
    const ofTail = (n: number) => (reverse ? recentDown : recentUp).all(head, from, to, after, n);
    const first = (reverse ? ofTail : ofIndex)(most);
    const rest = first.length < most ? (reverse ? ofIndex : ofTail)(most - first.length) : [];
    return first.concat(rest) as unknown as ShortRow[];
  };

  return {
    *rows(head, from, to) {
      yield* each(indexedRows, head, from, to);
      yield* each(recentRows, head, from, to, tail.after());
    },
    some(head, from, to, reverse, most) {
      const found: EntryText[] = [];
      let room = CHARACTERS;
      for (const [seq, hash, short, id] of find(head, from, to, reverse, most)) {
        const text = typeof short === 'string' ? short : textOf(longText.get(id));
        found.push({ seq, hash: hexHash(hash), text });
        room -= text.length;
        if (room <= 0) break;
      }
      return reverse ? found.reverse() : found;
    },
    hashAt(head, seq) {
      const row = indexedHash.get(head, seq, seq) ?? recentHash.get(head, seq, seq, tail.after());
      return row && hexHash((row as unknown as [string])[0]);
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

function* each(statement: StatementSync, ...values: number[]): Generator<EntryText> {
  const rows = statement.iterate(...values) as Iterable<unknown> as Iterable<Position & { data: unknown }>;
  for (const { seq, hash, data } of rows) yield { seq, hash: hexHash(hash), text: textOf([data]) };
}

/** Empty where a damaged database has none, or something else: its hash does not match then. */
function textOf(row: unknown): string {
  const [text] = (row ?? []) as unknown as readonly unknown[];
  return typeof text === 'string' ? text : '';
}

/** The text is null where it is long. */
type ShortRow = readonly [seq: number, hash: string, data: string | null, id: number];

/** Rows as arrays are made faster than rows as objects. */
function inArrays(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
}
