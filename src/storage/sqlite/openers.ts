/**
 * Whether every process that had the file open closed it. Each open store holds a slot, released by the kernel when its
 * process dies, and a row with the slot's name, deleted by closing. A row whose slot is free was left behind by a crash.
 */
import type { DatabaseSync } from 'node:sqlite';
import { CorruptError, OwnershipError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { LocalLocks } from '../../system/locks/locks.ts';
import { corrupt, faultOf } from '../../system/locks/sqlite-faults.ts';
import type { Writer } from './group.ts';

export interface Opener {
  /** Says that this user closed the file properly. */
  leave(): Promise<void>;
  /** Whether another process has it open. */
  others(): boolean;
}

/** Enters the file; `whenDamaged` is called when someone left it without closing and it is damaged. */
export async function enter(
  db: DatabaseSync,
  path: string,
  locks: LocalLocks,
  writer: Writer,
  whenDamaged: (problem: CorruptError) => void,
): Promise<Opener> {
  const slot = await takeSlot(locks);
  const find = db.prepare('SELECT slot FROM openers');
  const slots = () => (find.all() as { slot: string }[]).map((row) => row.slot);
  const others = () => slots().some((other) => other !== slot && locks.owner(other) !== null);
  const abandoned = slots().filter((other) => other === slot || locks.owner(other) === null);
  if (abandoned.length > 0) {
    const problems = quickCheck(db, path);
    if (problems.length > 0) {
      whenDamaged(corrupt(path, phrase`was not closed and is damaged: ${problems[0]}`));
      return { leave: async () => {}, others };
    }
  }
  const drop = db.prepare('DELETE FROM openers WHERE slot = ?');
  const insert = db.prepare('INSERT INTO openers (slot, opened_at) VALUES (?, ?)');
  await writer.write((now) => {
    for (const other of abandoned) drop.run(other);
    insert.run(slot, now);
  });
  return {
    others,
    leave: () =>
      writer.write(() => {
        drop.run(slot);
      }),
  };
}

/** The first free slot, so that their number stays that of the users. */
async function takeSlot(locks: LocalLocks): Promise<string> {
  for (let n = 1; ; n++) {
    const slot = `@open-${n}`; // no task id begins with "@"
    try {
      await locks.claim(slot, 0);
      return slot;
    } catch (error) {
      if (!(error instanceof OwnershipError)) throw error;
    }
  }
}

function quickCheck(db: DatabaseSync, path: string): string[] {
  try {
    const rows = db.prepare('PRAGMA quick_check(20)').all() as { quick_check: string }[];
    return rows.map((row) => row.quick_check).filter((line) => line !== 'ok');
  } catch (error) {
    const fault = faultOf(path, error);
    if (fault instanceof CorruptError) return [fault.message]; // too damaged even to be checked
    throw fault;
  }
}
