/** Timelines that were read once. */
import type { JournalEntry, Storage } from '../../../storage/contract.ts';
import { storedParts } from '../../task/journal.ts';
import { addedSince, keptOf } from '../../task/kept.ts';
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

/** The timeline of a task as it is now. */
export const timelineOf: (storage: Storage, task: string) => Promise<KeptTimeline> = keptOf(
  MOST,
  readTimeline,
  refreshed,
);

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

function sameLineage(a: Head, b: Head): boolean {
  const order = ({ lineage }: Head): string => JSON.stringify(lineage.map(({ task, to }) => [task, to]));
  return order(a) === order(b);
}
