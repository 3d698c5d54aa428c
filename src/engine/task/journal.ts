/** Reads a task's live journal: through its lineage, without what was rolled back. */
import { CorruptError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { JournalEntry, Position, Storage } from '../../storage/contract.ts';
import { eachBefore } from '../../storage/parts.ts';
import { type Entry, parseEntry } from './entries.ts';
import { createJoiner } from './joined.ts';
import { emptyMemory, type Memory, remember } from './memory.ts';
import { type Head, isDead } from './records/head.ts';

export interface LiveEntry {
  /** Whose journal it is in: the task's own, or one it was forked from. */
  readonly task: string;
  readonly seq: number;
  /** Of the journal at this entry. */
  readonly hash: string;
  readonly entry: Entry;
}

/** Oldest first, up to a position of the task's own journal (default: all of it). */
export async function* liveEntries(storage: Storage, head: Head, upTo?: Position): AsyncGenerator<LiveEntry> {
  for await (const part of liveParts(storage, head, upTo)) for (const one of part) yield one;
}

/** The same in parts, as they are read. */
export async function* liveParts(
  storage: Storage,
  head: Head,
  upTo?: Position,
): AsyncGenerator<readonly LiveEntry[]> {
  const own: Stretch = { task: head.task_id, to: upTo?.seq, dead: head.dead };
  const join = createJoiner();
  for (const { task, to, dead, hash } of [...head.lineage, own]) {
    if (to !== undefined && lastLive(dead, to) === 0) continue;
    if (hash !== undefined) await assertUnchanged(storage, task, { seq: to!, hash }, dead);
    const last = to === undefined ? undefined : lastLive(dead, to);
    const live = ({ seq, hash, data }: JournalEntry): LiveEntry | undefined =>
      isDead(dead, seq) ? undefined : { task, seq, hash, entry: join(parseEntry(data, seq)) };
    for await (const part of storage.readParts(task, last === undefined ? {} : { to: last }))
      yield* eachBefore(part, live);
  }
}

/**
 * Everything that is stored, what was rolled back among it. Of an end that was rolled back, as much as is intact. `beyond`
 * gets what the journals have after the forks that continue them, also as much as is intact.
 */
export async function* storedParts(
  storage: Storage,
  head: Head,
  beyond?: (one: JournalEntry) => void,
): AsyncGenerator<readonly LiveEntry[]> {
  const own: Stretch = { task: head.task_id, to: undefined, dead: head.dead };
  for (const { task, to, dead, hash } of [...head.lineage, own]) {
    if (hash !== undefined) await assertUnchanged(storage, task, { seq: to!, hash }, dead);
    const needed = to === undefined ? Number.POSITIVE_INFINITY : lastLive(dead, to); // Its own end counts.
    let last = 0;
    const stored = (one: JournalEntry): LiveEntry | undefined => {
      const { seq, hash, data } = one;
      if (to === undefined || seq <= to) return { task, seq, hash, entry: parseEntry(data, seq) };
      beyond?.(one);
      return undefined;
    };
    try {
      for await (const part of storage.readParts(task, to === undefined || beyond ? {} : { to })) {
        yield* eachBefore(part, stored);
        last = part.at(-1)?.seq ?? last;
      }
    } catch (error) {
      if (!(error instanceof CorruptError && last >= needed)) throw error;
    }
  }
}

/** A rolled-back end need not be intact. */
function lastLive(dead: Head['dead'], to: number): number {
  const end = dead.find(([from, last]) => from <= to && last >= to);
  return end ? lastLive(dead, end[0] - 1) : to;
}

/** What counts of one journal: all of it, or as far as the fork that continues it, where it has this hash. */
interface Stretch {
  readonly task: string;
  readonly to: number | undefined;
  readonly dead: Head['dead'];
  readonly hash?: string;
}

/** Takes the entries of a journal one by one, oldest first. */
export type Reducer = (one: LiveEntry) => void;

/** Reads the journal once, for several reducers. */
export async function foldJournal(
  storage: Storage,
  head: Head,
  reducers: readonly Reducer[],
  upTo?: Position,
): Promise<void> {
  for await (const part of liveParts(storage, head, upTo))
    for (const one of part) for (const take of reducers) take(one);
}

export async function readMemory(storage: Storage, head: Head, upTo?: Position): Promise<Memory> {
  const memory = emptyMemory();
  await foldJournal(storage, head, [remembering(head, memory)], upTo);
  return memory;
}

export function remembering({ task_id }: Head, memory: Memory): Reducer {
  return ({ task, seq, entry }) => {
    remember(memory, entry);
    if (task === task_id) memory.seq = seq;
  };
}

/** The shared part must still be what the task was forked from: that journal may have been repaired since. */
async function assertUnchanged(
  storage: Storage,
  task: string,
  { seq, hash }: Position,
  dead: Head['dead'],
): Promise<void> {
  if (isDead(dead, seq)) return; // Its end is not needed: it may be gone.
  for await (const end of storage.read(task, { from: seq, to: seq })) if (end.hash === hash) return;
  throw new CorruptError(
    phrase`The journal of task ${task}, which this one was forked from, is no longer the same.`,
    {
      data: { task, seq },
      hint: phrase`It was damaged and repaired, or cleaned up from outside: restore it from a backup, or fork it again from a checkpoint that is left: vibe-engine checkpoints list ${task}.`,
    },
  );
}
