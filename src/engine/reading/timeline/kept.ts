/** Timelines that were read once, kept for the next question: only what was added since is read then. */
import type { JournalEntry, Storage } from '../../../storage/contract.ts';
import { parseEntry } from '../../task/entries.ts';
import { type LiveEntry, storedParts } from '../../task/journal.ts';
import { type Cleaned, loadCleaned } from '../../task/records/cleaned.ts';
import { type Head, loadHead } from '../../task/records/head.ts';
import { requireTask } from '../../task/tasks.ts';
import { createTimelineIndex, type TimelineIndex } from './index.ts';

interface KeptTimeline {
  readonly index: TimelineIndex;
  readonly cleaned: Cleaned;
}

/** How many tasks a process looks at in turn. */
const MOST = 4;

/** By store: it is read once for all callers. */
const kept = new WeakMap<Storage, Map<string, Promise<KeptTimeline>>>();

/** The timeline of a task as it is now. Questions that come at the same time are answered one after another. */
export function timelineOf(storage: Storage, task: string): Promise<KeptTimeline> {
  const known = kept.get(storage) ?? new Map<string, Promise<KeptTimeline>>();
  kept.set(storage, known);
  const before = known.get(task);
  const now = (before ? before.then((one) => refreshed(storage, task, one)) : Promise.resolve(null))
    .catch(() => null) // What could not be refreshed is read again.
    .then((one) => one ?? readTimeline(storage, task));
  known.delete(task);
  known.set(task, now);
  now.catch(() => known.get(task) === now && known.delete(task));
  for (const oldest of known.keys()) if (known.size > MOST) known.delete(oldest);
  return now;
}

async function readTimeline(storage: Storage, task: string): Promise<KeptTimeline> {
  const cleaned = await loadCleaned(storage, task);
  const { head } = await requireTask(storage, task);
  const elsewhere = new Set<string>();
  const index = createTimelineIndex(head, elsewhere);
  const beyond = head.lineage.length === 0 ? undefined : (one: JournalEntry) => noteId(one, elsewhere);
  for await (const part of storedParts(storage, head, beyond)) index.feed(head, part);
  return { index, cleaned };
}

function noteId({ data }: JournalEntry, ids: Set<string>): void {
  const { t, id } = (data ?? {}) as { t?: unknown; id?: unknown };
  if (t === 'step' && typeof id === 'string') ids.add(id);
}

/** Null if it has to be read again: the journal is not a continuation of what was read. */
async function refreshed(
  storage: Storage,
  task: string,
  { index, cleaned }: KeptTimeline,
): Promise<KeptTimeline | null> {
  const added = await addedSince(storage, task, index.position);
  // Later than the entries: what they rolled back is in it.
  const head = await loadHead(storage, task);
  const now = await loadCleaned(storage, task);
  if (!added || !head || !sameLineage(head, index.head)) return null;
  if (JSON.stringify(now.cut) !== JSON.stringify(cleaned.cut)) return null;
  index.feed(head, added);
  return { index, cleaned: now };
}

/** Newest first, so that a long journal is not read from its beginning. */
async function addedSince(
  storage: Storage,
  task: string,
  { seq: last, hash: known }: TimelineIndex['position'],
): Promise<LiveEntry[] | null> {
  const end = await storage.position(task);
  if (end.seq === last) return end.hash === known ? [] : null;
  if (end.seq < last) return null;
  const added: LiveEntry[] = [];
  for await (const { seq, hash, data } of storage.read(task, { reverse: true, to: end.seq })) {
    if (seq > last) added.push({ task, seq, hash, entry: parseEntry(data, seq) });
    else return seq === last && hash === known ? added.reverse() : null;
  }
  return last === 0 ? added.reverse() : null;
}

function sameLineage(a: Head, b: Head): boolean {
  const order = ({ lineage }: Head): string => JSON.stringify(lineage.map(({ task, to }) => [task, to]));
  return order(a) === order(b);
}
