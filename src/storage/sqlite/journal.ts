/** Journals: entries read in chunks and verified against the chain, cuts that leave a verifiable gap. */
import type { DatabaseSync } from 'node:sqlite';
import { CorruptError } from '../../errors.ts';
import { next, START } from '../chain.ts';
import type { JournalEntry, Position } from '../contract.ts';
import type { PreparedEntry } from '../prepare.ts';
import { decode } from '../serialize.ts';
import type { Head } from './heads.ts';
import { seal } from './seal.ts';

export interface Cut {
  readonly first: number;
  readonly last: number;
  /** The chain's hash at `last`. */
  readonly hash: string;
}

export interface EntryRow {
  readonly seq: number;
  readonly hash: string;
  readonly data: string;
}

/** Part of a range: the entries up to the budget, what is still to read, and the damage that ended it. */
export interface Chunk {
  readonly entries: JournalEntry[];
  readonly rest: Span | null;
  readonly damage: CorruptError | null;
}

/** Entry numbers, both inclusive. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Journal {
  /** Reads towards higher numbers, or from the last one down. `span.to` is at most the head's. */
  chunk(head: Head, span: Span, reverse: boolean, limit: number): Chunk;
  append(head: number, entries: readonly PreparedEntry[]): void;
  cut(head: Head, first: number, last: number): void;
  /** Deletes what was cut; answers how many bytes. */
  compact(head: Head): number;
  /** Deletes entries and cuts from this number on. */
  truncate(head: number, from: number): void;
  /** Rows as they are, whether or not cut. */
  rows(head: number): Iterable<EntryRow>;
  storedCuts(head: Head): { readonly intact: Cut[]; readonly damaged: Cut[] };
  forgetCut(head: Head, cut: Cut): void;
}

const CHUNK_ENTRIES = 512;
const CHUNK_CHARACTERS = 1 << 20;

export function openJournal(db: DatabaseSync): Journal {
  const span = 'SELECT seq, hash, data FROM journal WHERE head = ? AND seq >= ? AND seq <= ? ORDER BY seq';
  const selectUp = db.prepare(span);
  const selectDown = db.prepare(`${span} DESC`);
  const selectHash = db.prepare('SELECT hash FROM journal WHERE head = ? AND seq = ?');
  const insert = db.prepare('INSERT INTO journal (head, seq, hash, data) VALUES (?, ?, ?, ?)');
  const drop = db.prepare('DELETE FROM journal WHERE head = ? AND seq >= ? AND seq <= ?');
  const weigh = db.prepare(
    'SELECT coalesce(sum(octet_length(data)), 0) AS bytes FROM journal WHERE head = ? AND seq >= ? AND seq <= ?',
  );
  const selectCuts = db.prepare('SELECT first, last, hash, checksum FROM cuts WHERE head = ? ORDER BY first');
  const insertCut = db.prepare('INSERT INTO cuts (head, first, last, hash, checksum) VALUES (?, ?, ?, ?, ?)');
  const dropCuts = db.prepare('DELETE FROM cuts WHERE head = ? AND first >= ? AND first <= ?');

  function storedCuts(head: Head): { intact: Cut[]; damaged: Cut[] } {
    const rows = selectCuts.all(head.id) as unknown as (Cut & { checksum: string })[];
    const isIntact = (row: Cut & { checksum: string }) => sealCut(head, row) === row.checksum;
    return { intact: rows.filter(isIntact), damaged: rows.filter((row) => !isIntact(row)) };
  }

  function cutsOf(head: Head): Cut[] {
    const { intact, damaged: bad } = storedCuts(head);
    if (bad[0]) throw damaged(head, bad[0].first, 'The record of a cut does not match its checksum');
    return intact;
  }

  /** Undefined when the row that should have it is missing. */
  function hashAt(head: Head, cuts: readonly Cut[], seq: number): string | undefined {
    if (seq === 0) return START.hash;
    const cut = cuts.find((each) => each.last === seq);
    return cut ? cut.hash : (selectHash.get(head.id, seq) as { hash: string } | undefined)?.hash;
  }

  /** Null when the entry follows from the hash before it, and agrees with the head when it is the last. */
  function wrong(head: Head, before: string | undefined, row: EntryRow): CorruptError | null {
    if (before === undefined) return damaged(head, row.seq - 1, 'The entry is missing');
    const here = next({ seq: row.seq - 1, hash: before }, row.data);
    if (here.hash !== row.hash)
      return damaged(head, row.seq, 'The entry does not follow from the one before it');
    if (row.seq === head.seq && row.hash !== head.hash)
      return damaged(head, row.seq, 'The last entry is not the one the head names');
    return null;
  }

  return {
    chunk(head, { from, to }, reverse, limit) {
      const entries: JournalEntry[] = [];
      const cuts = cutsOf(head);
      const parts = withoutCuts({ from, to }, cuts);
      let characters = 0;
      for (const part of reverse ? parts.reverse() : parts) {
        let expected = reverse ? part.to : part.from;
        let before = reverse ? undefined : hashAt(head, cuts, part.from - 1);
        const select = reverse ? selectDown : selectUp;
        for (const row of select.iterate(head.id, part.from, part.to) as Iterable<unknown>) {
          const entry = row as EntryRow;
          if (entry.seq !== expected) break;
          if (entries.length >= limit) return { entries, rest: null, damage: null };
          if (entries.length >= CHUNK_ENTRIES || characters >= CHUNK_CHARACTERS)
            return { entries, rest: reverse ? { from, to: expected } : { from: expected, to }, damage: null };
          if (reverse) before = hashAt(head, cuts, entry.seq - 1);
          const damage = wrong(head, before, entry);
          if (damage) return { entries, rest: null, damage };
          entries.push({ seq: entry.seq, hash: entry.hash, data: decode(entry.data) });
          characters += entry.data.length;
          before = entry.hash;
          expected += reverse ? -1 : 1;
        }
        if (expected !== (reverse ? part.from - 1 : part.to + 1) && entries.length < limit)
          return { entries, rest: null, damage: damaged(head, expected, 'The entry is missing') };
      }
      return { entries, rest: null, damage: null };
    },

    append(head, entries) {
      for (const { seq, hash, text } of entries) insert.run(head, seq, hash, text);
    },

    cut(head, first, last) {
      const cuts = cutsOf(head);
      const touching = cuts.filter((each) => each.first <= last + 1 && each.last >= first - 1);
      const from = Math.min(first, ...touching.map((each) => each.first));
      const to = Math.max(last, ...touching.map((each) => each.last));
      const hash = hashAt(head, cuts, to);
      if (hash === undefined) throw damaged(head, to, 'The entry is missing');
      dropCuts.run(head.id, from, to);
      insertCut.run(head.id, from, to, hash, sealCut(head, { first: from, last: to, hash }));
    },

    compact(head) {
      let bytes = 0;
      for (const { first, last } of cutsOf(head)) {
        bytes += (weigh.get(head.id, first, last) as { bytes: number }).bytes;
        drop.run(head.id, first, last);
      }
      return bytes;
    },

    truncate(head, from) {
      drop.run(head, from, Number.MAX_SAFE_INTEGER);
      dropCuts.run(head, from, Number.MAX_SAFE_INTEGER);
    },

    rows: (head) => selectUp.iterate(head, 1, Number.MAX_SAFE_INTEGER) as unknown as Iterable<EntryRow>,
    storedCuts,
    forgetCut(head, cut) {
      dropCuts.run(head.id, cut.first, cut.first);
    },
  };
}

/** What is left of a span, lowest part first; cuts are in order and never touch. */
function withoutCuts(span: Span, cuts: readonly Cut[]): Span[] {
  const parts: Span[] = [];
  let from = span.from;
  for (const cut of cuts) {
    if (cut.last < from) continue;
    if (cut.first > span.to) break;
    if (cut.first > from) parts.push({ from, to: cut.first - 1 });
    from = cut.last + 1;
  }
  if (from <= span.to) parts.push({ from, to: span.to });
  return parts;
}

function sealCut(head: Head, cut: Cut): string {
  return seal(head.task, cut.first, cut.last, cut.hash);
}

export function damaged(at: { readonly task: string }, seq: number, what: string): CorruptError {
  return new CorruptError(`${what}: task ${at.task}, entry ${seq}.`, {
    data: { task: at.task, seq, where: `journal entry ${seq}` },
    hint: 'Entries before it still load. repair() sets the damaged part aside and lets the task go on from there.',
  });
}

export function endOf(head: Head): Position {
  return { seq: head.seq, hash: head.hash };
}
