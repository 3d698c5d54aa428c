/** What to do about a damaged journal: find the last good position, set the rest aside, go on from there. */
import type { DatabaseSync } from 'node:sqlite';
import type { VibeError } from '../../errors.ts';
import { next, START, samePosition } from '../chain.ts';
import type { Position, Repair } from '../contract.ts';
import { refuseStranger, type Tables } from './commit.ts';
import { type Head, sealOf } from './heads.ts';
import type { Cut, EntryRow } from './journal.ts';

/** Above any revision that a damaged head can have given out. */
const AMPLE = 1_000_000;

export type RepairTask = (task: string, fence: number | undefined, now: string) => Repair | null | VibeError;

export function openRepair(db: DatabaseSync, tables: Tables): RepairTask {
  const { heads, journal } = tables;
  const selectHead = db.prepare('SELECT * FROM heads WHERE task = ?');
  const maxRevision = db.prepare('SELECT coalesce(max(revision), 0) AS revision FROM persistence');
  const setAside = db.prepare(
    `INSERT INTO damaged (task, set_aside_at, seq, hash, data)
     SELECT ?, ?, seq, hash, data FROM journal WHERE head = ? AND seq >= ? ORDER BY seq RETURNING id`,
  );

  return (task, fence, now) => {
    const head = selectHead.get(task) as unknown as (Head & { id: number; checksum: string }) | undefined;
    if (!head) return null;
    const headIntact = sealOf(head) === head.checksum;
    const refusal = refuseStranger(tables, headIntact ? head : { ...head, id: null }, fence);
    if (refusal) return refusal;

    const { intact, damaged } = journal.storedCuts(head);
    const trusted = Math.min(...damaged.map((cut) => cut.first)) - 1;
    const kept = lastGood(journal.rows(head.id), intact, trusted);
    if (headIntact && damaged.length === 0 && samePosition(kept, head)) return null;

    const rows = setAside.all(task, now, head.id, kept.seq + 1) as { id: number }[];
    journal.truncate(head.id, kept.seq + 1);
    for (const cut of damaged) journal.forgetCut(head, cut);
    if (headIntact) heads.put({ ...head, ...kept });
    else {
      const { revision } = maxRevision.get() as { revision: number };
      heads.put({ id: head.id, task, ...kept, fence: fence ?? 0, revision: revision + AMPLE });
    }
    return {
      kept,
      aside: rows.length === 0 ? 'damaged' : `damaged rows ${rows[0]!.id}-${rows.at(-1)!.id}`,
      message: whatWasWrong(task, kept, headIntact, damaged.length, rows.length),
    };
  };
}

/** The last position up to which every entry follows from the one before, not beyond `limit`. */
export function lastGood(
  rows: Iterable<EntryRow>,
  cuts: readonly Cut[],
  limit: number = Number.POSITIVE_INFINITY,
): Position {
  let end = overGaps(START, cuts);
  for (const row of rows) {
    if (row.seq <= end.seq) continue; // cut, but not yet compacted
    if (row.seq > limit) break;
    const here = next(end, row.data);
    if (here.seq !== row.seq || here.hash !== row.hash) break;
    end = overGaps(here, cuts);
  }
  return end;
}

function overGaps(at: Position, cuts: readonly Cut[]): Position {
  const gap = cuts.find((cut) => cut.first === at.seq + 1);
  return gap ? { seq: gap.last, hash: gap.hash } : at; // cuts never touch, so there is at most one
}

function whatWasWrong(task: string, kept: Position, headIntact: boolean, cuts: number, rows: number): string {
  const what = [
    headIntact ? '' : 'its head did not match its checksum',
    cuts === 0 ? '' : 'the record of a cut did not match its checksum',
    rows === 0 ? '' : `${rows} stored entries after it were set aside`,
  ].filter((part) => part !== '');
  return `The journal of task ${task} was whole up to entry ${kept.seq}; ${what.join(', ') || 'later entries were missing'}.`;
}
