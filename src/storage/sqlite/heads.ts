/** A task's head: where its journal ends, and the last fence and revision given out for it. */
import type { DatabaseSync } from 'node:sqlite';
import { CorruptError } from '../../errors.ts';
import { START } from '../chain.ts';
import { seal } from './seal.ts';

export interface Head {
  /** The row; null while the task has none. */
  readonly id: number | null;
  readonly task: string;
  readonly seq: number;
  readonly hash: string;
  readonly fence: number;
  /** The largest revision of any record of the task, ever. */
  readonly revision: number;
}

/** The head that stands for records outside tasks, and gives new tasks their first numbers. */
export const SHARED = '';

export interface Heads {
  /** The verified head, or null. */
  find(task: string): Head | null;
  /** The verified head, or one to begin with: its numbers follow those of tasks that were removed. */
  of(task: string): Head;
  /** Writes it, and answers its row. */
  put(head: Head): number;
  remove(head: Head): void;
}

export function openHeads(db: DatabaseSync): Heads {
  const select = db.prepare(
    'SELECT id, task, seq, hash, fence, revision, checksum FROM heads WHERE task = ?',
  );
  const insert = db.prepare(
    'INSERT INTO heads (task, seq, hash, fence, revision, checksum) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const update = db.prepare(
    'UPDATE heads SET seq = ?, hash = ?, fence = ?, revision = ?, checksum = ? WHERE id = ?',
  );
  const drop = db.prepare('DELETE FROM heads WHERE id = ?');

  const find = (task: string): Head | null => {
    const row = select.get(task) as unknown as (Head & { checksum: string }) | undefined;
    if (!row) return null;
    if (sealOf(row) !== row.checksum) throw damagedHead(task);
    return row;
  };
  return {
    find,
    of(task) {
      const found = find(task);
      if (found) return found;
      const shared = task === SHARED ? null : find(SHARED);
      return { id: null, task, ...START, fence: shared?.fence ?? 0, revision: shared?.revision ?? 0 };
    },
    put(head) {
      const { id, task, seq, hash, fence, revision } = head;
      const checksum = sealOf(head);
      if (id === null) return Number(insert.run(task, seq, hash, fence, revision, checksum).lastInsertRowid);
      update.run(seq, hash, fence, revision, checksum, id);
      return id;
    },
    remove(head) {
      if (head.id !== null) drop.run(head.id);
    },
  };
}

export function sealOf(head: Head): string {
  return seal(head.task, head.seq, head.hash, head.fence, head.revision);
}

function damagedHead(task: string): CorruptError {
  const what = task === SHARED ? 'the records outside tasks' : `task ${task}`;
  return new CorruptError(`The head of ${what} does not match its checksum.`, {
    data: { task, where: 'heads' },
    hint: 'repair() rebuilds the head of a task from its journal.',
  });
}
