/** Journals: every entry is verified against the chain before it is handed out, across the gaps that cuts leave. */
import { CorruptError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { EntryText, Position } from '../backend.ts';
import { chainHash, START } from '../chain.ts';
import { type Cut, type Cuts, joined, type Span, withoutCuts } from './cuts.ts';
import type { Entries } from './entries.ts';
import type { Head } from './heads.ts';
import type { Tail } from './tail.ts';

/** Part of a span: as many entries as one turn should read, what is still to read, the damage that ended it. */
export interface Chunk {
  readonly entries: readonly EntryText[];
  readonly rest: Span | null;
  readonly damage: CorruptError | null;
}

export interface Journal {
  /** Where it ends. */
  end(head: Head): Position;
  /** Reads at most so many, towards higher numbers or from the last one down. */
  chunk(head: Head, span: Span, reverse: boolean, most: number): Chunk;
  append(head: number, entries: readonly EntryText[]): void;
  cut(head: Head, span: Span): void;
  /** Deletes what was cut; returns how many bytes. */
  compact(head: Head): number;
  /** Deletes entries and cuts from this number on. */
  truncate(head: number, from: number): void;
}

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
    return gap ? gap.hash : entries.hashAt(head.id!, seq);
  };

  /** Rows that follow each other, in order: those that can be read before the first that is wrong, in the order asked for. */
  const verified = (head: Head, gaps: readonly Cut[], rows: readonly EntryText[], reverse: boolean) => {
    const [first] = rows;
    const before = first && hashAt(head, gaps, first.seq - 1);
    for (let i = 0; i < rows.length; i++) {
      const at = reverse ? rows.length - 1 - i : i;
      const wrong = wrongWith(head, rows[at]!, at === 0 ? before : rows[at - 1]!.hash);
      if (wrong) return { good: reverse ? rows.slice(at + 1).reverse() : rows.slice(0, at), wrong };
    }
    return { good: reverse ? rows.toReversed() : rows, wrong: null };
  };

  return {
    end,

    chunk(head, { from, to }, reverse, most) {
      const gaps = intactCuts(head);
      const parts = withoutCuts({ from, to }, gaps);
      const part = reverse ? parts.at(-1) : parts[0];
      if (!part) return { entries: [], rest: null, damage: null };
      const found = entries.some(head.id!, part.from, part.to, reverse, most);
      const rows = reverse ? endingAt(part.to, found) : startingAt(part.from, found);
      if (rows.length === 0) {
        const seq = reverse ? part.to : part.from;
        return { entries: [], rest: null, damage: damage(head, seq, phrase`The entry is missing`) };
      }
      const { good, wrong } = verified(head, gaps, rows, reverse);
      const rest = reverse ? { from, to: rows[0]!.seq - 1 } : { from: rows.at(-1)!.seq + 1, to };
      return { entries: good, rest: wrong || rest.from > rest.to ? null : rest, damage: wrong };
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

/** Those that follow a number without a gap; a missing one is found when it is the first that is asked for. */
function startingAt(first: number, rows: readonly EntryText[]): readonly EntryText[] {
  const gap = rows.findIndex(({ seq }, i) => seq !== first + i);
  return gap < 0 ? rows : rows.slice(0, gap);
}

function endingAt(last: number, rows: readonly EntryText[]): readonly EntryText[] {
  const gap = rows.findLastIndex(({ seq }, i) => seq !== last - (rows.length - 1 - i));
  return gap < 0 ? rows : rows.slice(gap + 1);
}

/** Null when the entry follows from the hash before it, and is the one its head knows. */
function wrongWith(head: Head, row: EntryText, before: string | undefined): CorruptError | null {
  if (before === undefined) return damage(head, row.seq - 1, phrase`The entry is missing`);
  if (chainHash(row.seq, before, row.text) !== row.hash)
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
