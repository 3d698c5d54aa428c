/**
 * The newest journal rows, which are not indexed yet. Indexing many rows at a time spares every commit a page: an entry
 * costs one page at the end of the table, and its place in the index is written with a hundred others.
 */
import type { DatabaseSync } from 'node:sqlite';
import { CorruptError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { EntryText } from '../backend.ts';
import type { Position } from '../contract.ts';
import type { Heads } from './heads.ts';
import { openLogLimit } from './log-limit.ts';
import type { Memory } from './memory.ts';
import { seal } from './seal.ts';
import { hexHash, shortHash } from './stored-hash.ts';

export interface Tail {
  /** The last row that is indexed. */
  after(): number;
  /** Where the journal of this head ends, when some of its entries are in the tail. */
  end(head: number): Position | undefined;
  append(head: number, entries: readonly EntryText[]): void;
  /** Indexes all of it. */
  settle(): void;
  /** Rebuilds the index from the rows. */
  rebuild(): void;
}

interface State {
  after: number;
  last: number;
  /** Rows of it that were there when it was looked through: what others wrote, or this store before it was opened. */
  readonly found: number;
  readonly ends: Map<number, Position>;
}

/**
 * How long it may get. Other writers have to read it each time, so with them it stays short. Alone, it may have so many rows of
 * each task that the heads, which are written with the index, cost little per row.
 */
const LONGEST_AMONG_OTHERS = 64;
const LONGEST_ALONE = 512;
const ROWS_PER_HEAD = 128;
const LONGEST_OF_MANY = 2048;

export function openTail(db: DatabaseSync, heads: Heads, memory: Memory): Tail {
  const selectIndexed = db.prepare('SELECT row, checksum FROM indexed WHERE id = 1');
  const putIndexed = db.prepare('INSERT OR REPLACE INTO indexed (id, row, checksum) VALUES (1, ?, ?)');
  const selectLast = db.prepare('SELECT coalesce(max(id), 0) AS id FROM journal');
  const selectTail = db.prepare('SELECT head, seq, hash FROM journal WHERE id > ? ORDER BY id');
  const insert = db.prepare('INSERT INTO journal (id, head, seq, hash, data) VALUES (?, ?, ?, ?, ?)');
  const index = db.prepare(
    'INSERT OR IGNORE INTO places (head, seq, row) SELECT head, seq, id FROM journal WHERE id > ? ORDER BY head, seq',
  );
  const limitLog = openLogLimit(db);
  limitLog();
  let known: State | undefined;
  memory.onForget(() => {
    known = undefined;
  });

  const state = (): State => {
    if (known) return known;
    const indexed = selectIndexed.get() as { row: number; checksum: number } | undefined;
    if (indexed && sealIndexed(indexed.row) !== indexed.checksum) throw damagedIndex();
    const after = indexed?.row ?? 0;
    const ends = new Map<number, Position>();
    for (const row of selectTail.iterate(after) as Iterable<unknown>) {
      const { head, seq, hash } = row as Position & { head: number };
      ends.set(head, { seq, hash: hexHash(hash) });
    }
    const { id } = selectLast.get() as { id: number };
    const last = Math.max(id, after); // rows may have been deleted, their numbers stay used
    known = { after, last, found: last - after, ends };
    return known;
  };

  // Damage in one row must not prevent all writes, so rows that do not fit are left for readers to report.
  const settle = () => {
    const tail = state();
    if (tail.last === tail.after) return;
    index.run(tail.after);
    for (const [head, end] of tail.ends) heads.advance(head, end);
    putIndexed.run(tail.last, sealIndexed(tail.last));
    tail.after = tail.last;
    limitLog(tail.ends.size);
    tail.ends.clear();
  };

  return {
    after: () => state().after,
    end: (head) => state().ends.get(head),
    append(head, entries) {
      const tail = state();
      for (const { seq, hash, text } of entries) insert.run(++tail.last, head, seq, shortHash(hash), text);
      const { seq, hash } = entries.at(-1)!;
      tail.ends.set(head, { seq, hash });
      if (tail.last - tail.after >= longest(tail)) settle();
    },
    settle,
    rebuild() {
      db.exec('DELETE FROM places; DELETE FROM indexed');
      memory.forget();
      settle();
    },
  };
}

function longest({ found, ends }: State): number {
  if (found > 0) return LONGEST_AMONG_OTHERS;
  return Math.min(LONGEST_OF_MANY, Math.max(LONGEST_ALONE, ROWS_PER_HEAD * ends.size));
}

function sealIndexed(row: number): number {
  return seal(`indexed\n${row}`);
}

function damagedIndex(): CorruptError {
  return new CorruptError(phrase`The mark of what is indexed does not match its checksum.`, {
    data: { where: 'indexed' },
    hint: phrase`vibe-engine doctor --repair rebuilds the index.`,
  });
}
