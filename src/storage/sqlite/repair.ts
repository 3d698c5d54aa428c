/** Repairs a damaged journal: finds the last good position, sets the rest aside, continues from there. */
import type { DatabaseSync } from 'node:sqlite';
import { CorruptError, type VibeError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { EntryText } from '../backend.ts';
import { next, START, samePosition } from '../chain.ts';
import type { Position, Repair } from '../contract.ts';
import { refuseStranger, type Tables } from './commit.ts';
import type { Cut, Cuts } from './cuts.ts';
import type { Entries } from './entries.ts';
import { type Head, SHARED, sealOf } from './heads.ts';
import type { Tail } from './tail.ts';

interface Repairs {
  task(task: string, fence: number | undefined, now: string): Repair | null | VibeError;
  /** The head of the records outside tasks, the only thing they share. */
  shared(): Repair | null;
}

type StoredHead = Head & { readonly id: number; readonly checksum: number };

/** Above any revision that a damaged head can have known of. */
const AMPLE = 1_000_000;
const ANY = Number.MAX_SAFE_INTEGER;

export function openRepair(
  db: DatabaseSync,
  tables: Tables,
  entries: Entries,
  cuts: Cuts,
  tail: Tail,
): Repairs {
  const { heads, journal } = tables;
  const selectHead = db.prepare('SELECT * FROM heads WHERE task = ?');
  const maxRevision = db.prepare('SELECT coalesce(max(revision), 0) AS revision FROM persistence');
  const setAside = db.prepare(
    `INSERT INTO damaged (task, set_aside_at, seq, hash, data)
     SELECT ?, ?, seq, CAST(hash AS TEXT), data FROM journal WHERE head = ? AND seq >= ? ORDER BY seq RETURNING id`,
  );
  const find = (task: string) => selectHead.get(task) as unknown as StoredHead | undefined;

  const goodUpTo = (head: StoredHead): Position => {
    const { intact, damaged } = cuts.of(head);
    const trusted = Math.min(...damaged.map((cut) => cut.first)) - 1;
    return lastGood(entries.rows(head.id, 1, ANY), intact, trusted);
  };

  /** What is wrong, in a sentence; null when nothing is. */
  const diagnose = (head: StoredHead): string | null => {
    if (sealOf(head) !== head.checksum)
      return phrase`The head of task ${head.task} does not match its checksum.`;
    try {
      const good = goodUpTo(head);
      if (samePosition(good, journal.end(head)) && cuts.of(head).damaged.length === 0) return null;
      return phrase`The journal of task ${head.task} is intact only up to entry ${good.seq}.`;
    } catch (error) {
      if (error instanceof CorruptError) return error.message;
      throw error;
    }
  };

  return {
    shared() {
      const shared = find(SHARED);
      if (!shared || sealOf(shared) === shared.checksum) return null;
      const { revision } = maxRevision.get() as { revision: number };
      heads.put({ id: shared.id, task: SHARED, ...START, fence: 0, revision: revision + AMPLE });
      const message = phrase`The head of the records outside tasks did not match its checksum.`;
      return { kept: START, aside: phrase`nothing: it was rebuilt from the records`, message };
    },

    task(task, fence, now) {
      const head = find(task);
      if (!head) return refuseStranger(tables, heads.of(task), fence);
      const isIntact = sealOf(head) === head.checksum;
      const refusal = refuseStranger(tables, isIntact ? head : { ...head, id: null }, fence);
      if (refusal) return refusal;
      const message = diagnose(head);
      if (message === null) return null;

      tail.rebuild();
      const { damaged } = cuts.of(head);
      const kept = goodUpTo(head);
      const rows = setAside.all(task, now, head.id, kept.seq + 1) as { id: number }[];
      journal.truncate(head.id, kept.seq + 1);
      for (const { first } of damaged) cuts.remove(head.id, first, first);
      const { revision } = maxRevision.get() as { revision: number };
      const numbers = isIntact ? head : { fence: fence ?? 0, revision: revision + AMPLE };
      heads.put({ id: head.id, task, ...kept, fence: numbers.fence, revision: numbers.revision });
      const aside = rows.length === 0 ? 'damaged' : phrase`damaged rows ${rows[0]!.id}-${rows.at(-1)!.id}`;
      return { kept, aside, message };
    },
  };
}

/** The last position up to which every entry follows from the one before, not beyond `limit`. */
export function lastGood(
  rows: Iterable<EntryText>,
  cuts: readonly Cut[],
  limit: number = Number.POSITIVE_INFINITY,
): Position {
  let end = overGap(START, cuts);
  for (const row of rows) {
    if (row.seq <= end.seq) continue; // cut, but not yet compacted
    const here = next(end, row.text);
    if (row.seq > limit || here.seq !== row.seq || here.hash !== row.hash) break;
    end = overGap(here, cuts);
  }
  return end;
}

/** Cuts never touch, so there is at most one. */
function overGap(at: Position, cuts: readonly Cut[]): Position {
  const gap = cuts.find((cut) => cut.first === at.seq + 1);
  return gap ? { seq: gap.last, hash: gap.hash } : at;
}
