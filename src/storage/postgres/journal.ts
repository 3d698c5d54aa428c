/** Reading journals: a page at a time, every entry verified against the chain before it is handed out. */
import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CorruptError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { EntryText, JournalRange, Position } from '../backend.ts';
import { next, START } from '../chain.ts';
import type { Connection, Statement } from './connection.ts';

/** A verified row: an entry, or the end of a gap that a cut left (`text` null). */
interface Step extends Position {
  readonly text: string | null;
}

export interface Journal {
  position(task: string): Promise<Position>;
  read(task: string, range: JournalRange): AsyncGenerator<readonly EntryText[]>;
  /** The same including gaps, oldest first. */
  steps(task: string): AsyncGenerator<readonly Step[]>;
}

export function openJournal(connection: Connection): Journal {
  async function ends(task: string): Promise<Ends> {
    const [row] = await connection.query<EndsRow>(ENDS, [task]);
    const head = { seq: Number(row?.seq ?? 0), hash: row?.hash ?? START.hash };
    const tail = { seq: Number(row?.tail_seq ?? 0), hash: row?.tail_hash ?? START.hash };
    return { head, tail, agree: head.seq === tail.seq && head.hash === tail.hash };
  }

  async function page(task: string, at: number, limit: number, reverse: boolean): Promise<Row[]> {
    const found = await connection.query<RawRow>(reverse ? PAGE_BACK : PAGE, [task, at, limit]);
    const rows = found.map(rowOf);
    let size = 0;
    for (const [i, row] of rows.entries()) {
      if (row.text !== null || row.seal !== null) continue;
      if (size > LARGE_PAGE) return rows.slice(0, i);
      const [large] = await connection.query<{ data: string | null }>(LARGE, [task, row.seq]);
      row.text = large?.data ?? null;
      size += row.text?.length ?? 0;
    }
    return rows;
  }

  /** Entries that disappeared while being read were removed with their task, or set aside by a repair. */
  async function assertGone(task: string, seq: number): Promise<void> {
    if ((await ends(task)).tail.seq >= seq) throw damaged(task, seq, phrase`Entry ${seq} is missing`);
  }

  /** A page at a time; of one with damage in it, what comes before that. */
  async function* forward(task: string, from: number, to: number, limit: number): AsyncGenerator<Step[]> {
    const { head, tail, agree } = await ends(task);
    const end = Math.min(to, tail.seq);
    let passed: Position | null = from === 1 ? START : null;
    let expected = from;
    let left = limit;
    let size = FIRST_ROWS;
    let ahead: { readonly at: number; readonly rows: Promise<Row[]> } | undefined;
    while (expected <= end && left > 0) {
      const rows: Row[] =
        passed && ahead?.at === expected
          ? await ahead.rows
          : await page(task, passed ? expected : from - 1, Math.min(size, left + 1), false);
      const [first] = rows;
      if (!first || first.first > expected) return await assertGone(task, expected);
      const last = rows.at(-1)!.seq;
      size = rowsLike(rows);
      ahead = undefined;
      // The next page is on its way while this one is checked and used.
      if (last < end && left > rows.length) {
        ahead = { at: last + 1, rows: page(task, last + 1, Math.min(size, left), false) };
        // It is thrown where the page is used.
        ahead.rows.catch(() => {});
        await nextTurn(); // The driver sends it once this turn is over, which would be after all of this page.
      }
      const found: Step[] = [];
      try {
        for (const row of rows) {
          if (row.first > expected) break;
          if (row.seq >= from) {
            const step = verified(task, row, passed);
            expected = row.seq + 1;
            found.push(step);
            if (step.text !== null) left -= 1;
          }
          passed = row;
          if (left === 0 || expected > end) break;
        }
      } finally {
        yield found;
      }
    }
    if (!agree && left > 0 && to >= Math.min(head.seq, tail.seq)) throwDisagreement(task, head, tail);
  }

  async function* backward(task: string, from: number, to: number, limit: number): AsyncGenerator<Step[]> {
    const { head, tail, agree } = await ends(task);
    if (!agree && to >= Math.min(head.seq, tail.seq)) throwDisagreement(task, head, tail);
    let expected = Math.min(to, tail.seq);
    let left = limit;
    let size = FIRST_ROWS;
    let unverified: Row | null = null;
    while (left > 0 && (unverified || expected >= from)) {
      const rows: Row[] =
        expected === 0 ? [ORIGIN] : await page(task, expected, Math.min(size, left + 1), true);
      size = rowsLike(rows);
      const [top] = rows;
      if (!top || top.first > expected) return await assertGone(task, expected);
      // A gap that covers the unverified row was cut since.
      if (top.seq > expected) unverified = null;
      const found: Step[] = [];
      try {
        for (const row of rows) {
          if (row !== top && row.seq !== expected) break;
          if (unverified) {
            found.push(verified(task, unverified, row));
            left -= 1;
            unverified = null;
          }
          if (left === 0 || row.seq < from) return;
          if (row.seal === null) unverified = row;
          else verified(task, row, null);
          expected = row.first - 1;
        }
      } finally {
        yield found;
      }
    }
  }

  return {
    position: async (task) => {
      const { head, tail, agree } = await ends(task);
      return agree ? head : throwDisagreement(task, head, tail);
    },
    async *read(
      task,
      { from = 1, to = Number.MAX_SAFE_INTEGER, reverse = false, limit = Number.POSITIVE_INFINITY },
    ) {
      const steps = (reverse ? backward : forward)(task, from, to, limit);
      for await (const part of steps) yield part.filter((step): step is EntryText => step.text !== null);
    },
    steps: (task) => forward(task, 1, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY),
  };
}

interface Ends {
  /** Where the task's head says that the journal ends, and where it does. */
  readonly head: Position;
  readonly tail: Position;
  readonly agree: boolean;
}

/** Its `text` is null where it ends a gap, and there alone `seal` is not. */
interface Row extends Position {
  /** The first entry it represents: itself, or the beginning of a gap. */
  readonly first: number;
  readonly seal: string | null;
  text: string | null;
}

function rowOf([number, hash, text, cut_from, seal]: RawRow): Row {
  const seq = Number(number);
  if (cut_from === null) return { seq, hash, first: seq, seal: null, text };
  return { seq, hash, first: Number(cut_from), seal: seal ?? '', text: null };
}

const ORIGIN: Row = { ...START, first: 0, seal: null, text: null };

/** Checks a row against the one before it, which a gap does not need. */
function verified(task: string, row: Row, before: Position | null): Step {
  const { seq, hash: stored, first, seal, text } = row;
  if (seal !== null) {
    if (seal !== hash('sha256', ['cut', task, first, seq, stored].join('\n'))) {
      throw damaged(task, seq, phrase`The gap that ends at ${seq} does not match its seal`);
    }
    return row;
  }
  if (before?.seq !== seq - 1) throw damaged(task, seq, phrase`What comes before entry ${seq} is missing`);
  if (text === null || next(before, text).hash !== stored) {
    throw damaged(task, seq, phrase`Entry ${seq} does not continue the chain`);
  }
  return row;
}

function damaged(task: string, seq: number, what: string): CorruptError {
  return new CorruptError(phrase`${what} in the journal of task ${task}.`, {
    data: { task, seq, where: 'journal', readable_to: seq - 1 },
    hint: phrase`What comes before it still loads. Resuming the task sets the damaged part aside and continues from there; so does vibe-engine doctor --repair.`,
  });
}

function throwDisagreement(task: string, head: Position, tail: Position): never {
  throw new CorruptError(
    phrase`The journal of task ${task} ends at ${tail.seq}, its head says ${head.seq}.`,
    {
      data: { task, where: 'heads', head, tail },
      hint: phrase`Entries were lost, or changed by something other than the store. Resuming the task continues from the last good entry.`,
    },
  );
}

interface EndsRow {
  seq: string | null;
  hash: string | null;
  tail_seq: string | null;
  tail_hash: string | null;
}

type RawRow = [seq: string, hash: string, data: string | null, cut_from: string | null, seal: string | null];

/** Of a journal, before the length of its entries is known. */
const FIRST_ROWS = 64;
const FEWEST_ROWS = 16;
const MOST_ROWS = 500;
/** How many characters a page should have. Twice as many take 25 MB more in a long task. */
const PAGE_CHARACTERS = 1 << 17;

/** How many rows to read together, by the length of those that were read last. */
function rowsLike(rows: readonly Row[]): number {
  const characters = rows.reduce((sum, { text }) => sum + (text?.length ?? 0), 0);
  const like = Math.ceil((PAGE_CHARACTERS * rows.length) / Math.max(1, characters));
  return Math.min(MOST_ROWS, Math.max(FEWEST_ROWS, like));
}

/** Larger texts are read one by one, and end a page once they come to so many characters. */
const LARGE_BYTES = 32_768;
const LARGE_PAGE = 1_000_000;

const ENDS = {
  name: 'ends',
  text: `SELECT h.seq, h.hash, j.seq AS tail_seq, j.hash AS tail_hash
    FROM (SELECT $1::text AS task) t
    LEFT JOIN $.heads h ON h.task = t.task
    LEFT JOIN LATERAL (
      SELECT seq, hash FROM $.journal WHERE journal.task = t.task ORDER BY seq DESC LIMIT 1
    ) j ON true`,
};

const pageOf = (rows: string, order: string) => `
  SELECT seq, hash, CASE WHEN cut_from IS NULL AND octet_length(data) <= ${LARGE_BYTES} THEN data END, cut_from, seal
  FROM $.journal WHERE task = $1 AND ${rows} ORDER BY ${order} LIMIT $3`;

const PAGE: Statement = { name: 'page', text: pageOf('seq >= $2', 'seq'), rowMode: 'array' };

const LARGE: Statement = { text: 'SELECT data FROM $.journal WHERE task = $1 AND seq = $2' };

/** Begins at the row that stands for the entry, which may be the end of a gap around it. */
const PAGE_BACK: Statement = {
  name: 'page_back',
  rowMode: 'array',
  text: pageOf(
    'seq <= coalesce((SELECT min(seq) FROM $.journal WHERE task = $1 AND seq >= $2), $2)',
    'seq DESC',
  ),
};
