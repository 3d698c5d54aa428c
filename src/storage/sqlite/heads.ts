/** A task's head: where its journal ends, the last fence given out, and where the revisions of new records begin. */
import type { DatabaseSync } from 'node:sqlite';
import { CorruptError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { START } from '../chain.ts';
import type { Position } from '../contract.ts';
import type { Memory } from './memory.ts';
import { seal } from './seal.ts';

export interface Head {
  /** The row; null while the task has none. */
  readonly id: number | null;
  readonly task: string;
  /** Where the journal ends, but for entries in the tail: `Journal.end` knows. */
  readonly seq: number;
  readonly hash: string;
  readonly fence: number;
  /** The largest revision of any record that was removed. */
  readonly revision: number;
}

/** The head of the records outside tasks, and gives new tasks their first numbers. */
export const SHARED = '';

export interface Heads {
  /** The verified head, or null. */
  find(task: string): Head | null;
  /** The newest fence in the file, whatever others wrote since; null where there is no head. */
  fenceOnDisk(task: string): number | null;
  /** The verified head, or a new one whose numbers follow those of removed tasks. */
  of(task: string): Head;
  /** Writes it, and returns its row. */
  put(head: Head): number;
  /** Moves the end of the journal forward, unless the head is damaged. */
  advance(id: number, end: Position): void;
  remove(head: Head): void;
}

const MOST_REMEMBERED = 10_000;

export function openHeads(db: DatabaseSync, memory: Memory): Heads {
  const columns = 'id, task, seq, hash, fence, revision, checksum';
  const select = db.prepare(`SELECT ${columns} FROM heads WHERE task = ?`);
  const selectById = db.prepare(`SELECT ${columns} FROM heads WHERE id = ?`);
  const insert = db.prepare(
    'INSERT INTO heads (task, seq, hash, fence, revision, checksum) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const update = db.prepare(
    'UPDATE heads SET seq = ?, hash = ?, fence = ?, revision = ?, checksum = ? WHERE id = ?',
  );
  const selectFence = db.prepare('SELECT fence FROM heads WHERE task = ?');
  const drop = db.prepare('DELETE FROM heads WHERE id = ?');

  const known = new Map<string, Head>();
  const knownById = new Map<number, Head>();
  const forget = () => {
    known.clear();
    knownById.clear();
  };
  memory.onForget(forget);

  const verified = (row: unknown): Head | null => {
    const head = row as (Head & { checksum: number }) | undefined;
    if (!head) return null;
    if (sealOf(head) !== head.checksum) throw damagedHead(head.task);
    return head;
  };
  const remember = (head: Head): void => {
    if (known.size >= MOST_REMEMBERED) forget();
    known.set(head.task, head);
    knownById.set(head.id!, head);
  };
  const intactById = (id: number): Head | null => {
    const remembered = knownById.get(id);
    if (remembered) return remembered;
    const head = selectById.get(id) as unknown as (Head & { checksum: number }) | undefined;
    return head && sealOf(head) === head.checksum ? head : null;
  };
  const find = (task: string): Head | null => {
    const remembered = known.get(task);
    if (remembered) return remembered;
    const head = verified(select.get(task));
    if (head) remember(head);
    return head;
  };
  const put = (head: Head): number => {
    const { task, seq, hash, fence, revision } = head;
    const checksum = sealOf(head);
    const id = head.id ?? Number(insert.run(task, seq, hash, fence, revision, checksum).lastInsertRowid);
    if (head.id !== null) update.run(seq, hash, fence, revision, checksum, id);
    remember({ id, task, seq, hash, fence, revision });
    return id;
  };
  return {
    find,
    put,
    fenceOnDisk(task) {
      const remembered = known.get(task);
      if (remembered && memory.isCurrent()) return remembered.fence;
      return (selectFence.get(task) as { fence: number } | undefined)?.fence ?? null;
    },
    of(task) {
      const found = find(task);
      if (found) return found;
      const shared = task === SHARED ? null : find(SHARED);
      return { id: null, task, ...START, fence: shared?.fence ?? 0, revision: shared?.revision ?? 0 };
    },
    advance(id, end) {
      const head = intactById(id);
      if (head && end.seq > head.seq) put({ ...head, ...end });
    },
    remove(head) {
      known.delete(head.task);
      if (head.id === null) return;
      knownById.delete(head.id);
      drop.run(head.id);
    },
  };
}

export function sealOf(head: Head): number {
  return seal(`${head.task}\n${head.seq}\n${head.hash}\n${head.fence}\n${head.revision}`);
}

function damagedHead(task: string): CorruptError {
  const what = task === SHARED ? phrase`the records outside tasks` : phrase`task ${task}`;
  return new CorruptError(phrase`The head of ${what} does not match its checksum.`, {
    data: { task, where: 'heads' },
    hint: phrase`vibe-engine doctor --repair rebuilds it from what is stored.`,
  });
}
