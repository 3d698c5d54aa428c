/** Follows one task, in whichever process it runs: what is added to its journal, and what changes in its state and its owner. */
import { loadState } from '../../persistence/state-records.ts';
import type { Owner, Storage } from '../../storage/contract.ts';
import { createHints } from '../../storage/hints.ts';
import type { TaskState } from '../../task/state.ts';
import { type Entry, parseEntry } from '../task/entries.ts';
import { type Head, loadHead } from '../task/records/head.ts';
import { requireTask } from '../task/tasks.ts';

export interface WatchOptions {
  /** The number of the last journal entry that is known; default: 0. */
  readonly after?: number;
  /** Ends it. */
  readonly signal?: AbortSignal;
}

/** What changed since the last one. The first is how the task is now. */
export interface TaskBatch {
  readonly task: string;
  /** The number of the last entry that was given, here or before. */
  readonly position: number;
  /** Of the task's own journal, in order. Those that were rolled back are among them, with the rollback after them. */
  readonly entries: readonly { readonly seq: number; readonly entry: Entry }[];
  readonly head: Head;
  readonly state: TaskState;
  /** Who runs it; null also once its process has died. */
  readonly owner: Owner | null;
}

/** That a process died is no change of the store: so often it is looked for. */
const LOOK_EVERY_MS = 1000;
/** In one batch. */
const MOST_ENTRIES = 500;

/** Ends with the signal, when the store is closed and when the task is removed. */
export async function* watchTask(
  storage: Storage,
  task: string,
  options: WatchOptions = {},
): AsyncGenerator<TaskBatch> {
  await requireTask(storage, task);
  const ending = new AbortController();
  const { signal } = ending;
  const ended = options.signal ? AbortSignal.any([signal, options.signal]) : signal;
  const hints = createHints<null>(ended);
  const looking = setInterval(() => hints.tell(null), LOOK_EVERY_MS);
  const listening = passOn(storage.changes(ended), (hint) => {
    if (hint === null || hint === task) hints.tell(null);
  }).finally(() => ending.abort());
  try {
    let before: Known | null = null;
    let position = options.after ?? 0;
    for await (const _ of hints.taken()) {
      for (;;) {
        const now = await lookAt(storage, task);
        if (now === null) return;
        const more = now.end > position ? await entriesAfter(storage, task, position) : [];
        // A journal that was repaired ends earlier.
        const end = more.at(-1)?.seq ?? Math.min(position, now.end);
        if (before && isSame(before, now) && end === position) break;
        position = end;
        before = now;
        const { head, state, owner } = now;
        yield { task, position, entries: more, head, state, owner };
        if (more.length < MOST_ENTRIES) break;
      }
    }
  } finally {
    clearInterval(looking);
    ending.abort();
    await listening;
  }
}

async function passOn(
  hints: AsyncIterable<string | null>,
  tell: (hint: string | null) => void,
): Promise<void> {
  for await (const hint of hints) tell(hint);
}

interface Known {
  readonly end: number;
  readonly head: Head;
  readonly state: TaskState;
  readonly owner: Owner | null;
}

/** Null once it was removed. */
async function lookAt(storage: Storage, task: string): Promise<Known | null> {
  const { seq: end } = await storage.position(task);
  const head = await loadHead(storage, task);
  const state = head && (await loadState(storage, task));
  return head && state && { end, head, state, owner: await storage.owner(task) };
}

function isSame(a: Known, b: Known): boolean {
  if (a.owner?.fence !== b.owner?.fence || a.state.updated_at !== b.state.updated_at) return false;
  return JSON.stringify([a.head, a.state]) === JSON.stringify([b.head, b.state]);
}

async function entriesAfter(
  storage: Storage,
  task: string,
  after: number,
): Promise<TaskBatch['entries'][number][]> {
  const found: TaskBatch['entries'][number][] = [];
  for await (const { seq, data } of storage.read(task, { from: after + 1, limit: MOST_ENTRIES }))
    found.push({ seq, entry: parseEntry(data, seq) });
  return found;
}
