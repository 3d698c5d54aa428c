/** Journals: every entry is verified against the chain before it is handed out, across the gaps that cuts leave. */
import { CorruptError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { EntryText, Position } from '../backend.ts';
import { next, START } from '../chain.ts';
import { type Cut, type Cuts, joined, type Span, withoutCuts } from './cuts.ts';
import type { Entries, EntryRow } from './entries.ts';
import type { Head } from './heads.ts';
import type { Tail } from './tail.ts';

/** Part of a span: as many entries as one turn should read, what is still to read, the damage that ended it. */
export interface Chunk {
  readonly entries: EntryText[];
  readonly rest: Span | null;
  readonly damage: CorruptError | null;
}

export interface Journal {
  /** Where it ends. */
  end(head: Head): Position;
  /** Reads towards higher numbers, or from the last one down. */
  chunk(head: Head, span: Span, reverse: boolean, limit: number): Chunk;
  append(head: number, entries: readonly EntryText[]): void;
  cut(head: Head, span: Span): void;
  /** Deletes what was cut; returns how many bytes. */
  compact(head: Head): number;
  /** Deletes entries and cuts from this number on. */
  truncate(head: number, from: number): void;
}

const CHUNK_ENTRIES = 512;
const CHUNK_CHARACTERS = 1 << 17;

export function openJournal(entries: Entries, cuts: Cuts, tail: Tail): Journal {
  const end = (head: Head): Position =>
    (head.id !== null && tail.end(head.id)) || { seq: head.seq, hash: head.hash };

  const intactCuts = (head: Head): Cut[] => {
    const { intact, damaged } = cuts.of(head);
    if (damaged[0])
      throw damage(head, damaged[0].first, phrase`The record of a cut does not match its checksum`);
    return intact;
  };

  /** Undefined when the row that should have it is missing. */
  const hashAt = (head: Head, gaps: readonly Cut[], seq: number): string | undefined => {
    if (seq === 0) return START.hash;
    const gap = gaps.find((cut) => cut.last === seq);
    if (gap) return gap.hash;
    for (const row of entries.rows(head.id!, seq, seq)) return row.hash;
    return undefined;
  };

  /** Rows of a part without gaps, each with the hash it must follow from. */
  function* linked(head: Head, gaps: readonly Cut[], part: Span, reverse: boolean): Generator<Linked> {
    const rows = entries.rows(head.id!, part.from, part.to, reverse);
    if (!reverse) {
      let before = hashAt(head, gaps, part.from - 1);
      for (const row of rows) {
        yield { row, before };
        before = row.hash;
      }
      return;
    }
    let pending: EntryRow | undefined;
    for (const row of rows) {
      if (pending) yield { row: pending, before: row.seq === pending.seq - 1 ? row.hash : undefined };
      pending = row;
    }
    if (pending) yield { row: pending, before: hashAt(head, gaps, pending.seq - 1) };
  }

  return {
    end,

    chunk(head, { from, to }, reverse, limit) {
      const found: EntryText[] = [];
      const gaps = intactCuts(head);
      const parts = withoutCuts({ from, to }, gaps);
      let room = CHUNK_CHARACTERS;
      for (const part of reverse ? parts.reverse() : parts) {
        let expected = reverse ? part.to : part.from;
        for (const { row, before } of linked(head, gaps, part, reverse)) {
          if (found.length >= limit) return { entries: found, rest: null, damage: null };
          if (found.length >= CHUNK_ENTRIES || room <= 0)
            return {
              entries: found,
              rest: reverse ? { from, to: expected } : { from: expected, to },
              damage: null,
            };
          const wrong = row.seq === expected ? wrongWith(head, row, before) : null;
          if (wrong) return { entries: found, rest: null, damage: wrong };
          if (row.seq !== expected) break;
          found.push({ seq: row.seq, hash: row.hash, text: row.data });
          room -= row.data.length;
          expected += reverse ? -1 : 1;
        }
        const whole = expected === (reverse ? part.from - 1 : part.to + 1);
        if (!whole && found.length < limit)
          return { entries: found, rest: null, damage: damage(head, expected, phrase`The entry is missing`) };
      }
      return { entries: found, rest: null, damage: null };
    },

    append: tail.append,

    cut(head, span) {
      const gaps = intactCuts(head);
      const { from, to } = joined(span, gaps);
      const hash = hashAt(head, gaps, to);
      if (hash === undefined) throw damage(head, to, phrase`The entry is missing`);
      cuts.remove(head.id!, from, to);
      cuts.put(head, { first: from, last: to, hash });
    },

    compact(head) {
      let bytes = 0;
      for (const { first, last } of intactCuts(head)) bytes += entries.remove(head.id!, first, last);
      return bytes;
    },

    truncate(head, from) {
      entries.remove(head, from, Number.MAX_SAFE_INTEGER);
      cuts.remove(head, from, Number.MAX_SAFE_INTEGER);
    },
  };
}

interface Linked {
  readonly row: EntryRow;
  /** Undefined when the entry before it is missing. */
  readonly before: string | undefined;
}

/** Null when the entry follows from the hash before it, and is the one its head knows. */
function wrongWith(head: Head, row: EntryRow, before: string | undefined): CorruptError | null {
  if (before === undefined) return damage(head, row.seq - 1, phrase`The entry is missing`);
  if (next({ seq: row.seq - 1, hash: before }, row.data).hash !== row.hash)
    return damage(head, row.seq, phrase`The entry does not follow from the one before it`);
  if (row.seq === head.seq && row.hash !== head.hash)
    return damage(head, row.seq, phrase`The entry is not the one its head names`);
  return null;
}

function damage(head: Head, seq: number, what: string): CorruptError {
  return new CorruptError(phrase`${what}: task ${head.task}, entry ${seq}.`, {
    data: { task: head.task, seq, where: phrase`journal entry ${seq}` },
    hint: phrase`What comes before it still loads. Resuming the task sets the damaged part aside and continues from there; so does vibe-engine doctor --repair.`,
  });
}
