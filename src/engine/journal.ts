/** Reading a task's journal as it counts: through its lineage, without what was rolled back. */
import { CorruptError } from '../errors.ts';
import type { Position, Storage } from '../storage/contract.ts';
import { type Entry, parseEntry } from './entries.ts';
import { type Head, isDead } from './head.ts';
import { emptyMemory, type Memory, remember } from './memory.ts';

export interface LiveEntry {
  /** Whose journal it is in: the task's own, or one it was forked from. */
  readonly task: string;
  readonly seq: number;
  readonly entry: Entry;
}

/** Oldest first, up to a position of the task's own journal (all of it unless told). */
export async function* liveEntries(storage: Storage, head: Head, upTo?: Position): AsyncGenerator<LiveEntry> {
  for (const ancestor of head.lineage) yield* prefix(storage, ancestor);
  yield* stretch(storage, head.task_id, upTo?.seq, head.dead);
}

export async function readMemory(storage: Storage, head: Head, upTo?: Position): Promise<Memory> {
  const memory = emptyMemory();
  for await (const { entry } of liveEntries(storage, head, upTo)) remember(memory, entry);
  return memory;
}

/** What a fork shares must still be what it was forked from: that journal may have been repaired since. */
async function* prefix(storage: Storage, { task, to, hash, dead }: Ancestor): AsyncGenerator<LiveEntry> {
  if (isDead(dead, to)) return yield* stretch(storage, task, to, dead); // Its end is not needed: it may be gone.
  for await (const end of storage.read(task, { from: to, to })) {
    if (end.hash === hash) return yield* stretch(storage, task, to, dead);
  }
  throw new CorruptError(
    `The journal of task ${task}, which this one was forked from, is no longer the same.`,
    {
      data: { task, seq: to },
      hint: 'It was damaged and repaired, or cleaned up from outside: restore it from a backup, or start the task anew.',
    },
  );
}

type Ancestor = Head['lineage'][number];

async function* stretch(
  storage: Storage,
  task: string,
  to: number | undefined,
  dead: Head['dead'],
): AsyncGenerator<LiveEntry> {
  if (to === 0) return;
  for await (const { seq, data } of storage.read(task, to === undefined ? {} : { to })) {
    if (!isDead(dead, seq)) yield { task, seq, entry: parseEntry(data, seq) };
  }
}
