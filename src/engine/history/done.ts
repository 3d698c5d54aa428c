/** What a task did to files, operation by operation, as others need to know it. */
import { answering, isDamage } from '../../errors.ts';
import type { Position, Storage } from '../../storage/contract.ts';
import { type Entry, parseEntry } from '../task/entries.ts';
import { addedSince, keptOf } from '../task/kept.ts';
import { loadCleaned, NOT_CLEANED } from '../task/records/cleaned.ts';

/** Between two snapshots; what was rolled back since happened nevertheless. */
export interface DoneSpan {
  readonly task: string;
  /** The entry that tells of it. */
  readonly seq: number;
  readonly place: string;
  readonly from: string;
  readonly to: string;
  /** Which files it would change was not known in advance: changes of a third task may be included. */
  readonly doubtful: boolean;
  /** They were known: it changed no others. */
  readonly paths?: readonly string[];
  /** In milliseconds. */
  readonly during: { readonly since: number; readonly until: number };
}

interface Done {
  position: Position;
  /** What was gone from the journal then. */
  readonly cut: string;
  /** By operation: the files that it changes, where that is known. */
  readonly paths: Map<string, readonly string[]>;
  readonly spans: DoneSpan[];
}

/** Beside each other run only a few, about which each of them asks again and again. */
const MOST_KEPT = 16;

const doneBy = keptOf(MOST_KEPT, read, async (storage, task, known: Done) => {
  const added = await addedSince(storage, task, known.position);
  if ((await cutFrom(storage, task)) !== known.cut) return null;
  for (const { seq, hash, entry } of added ?? []) take(known, task, { seq, hash }, entry);
  return added && known;
});

/** In the journal's order. Of a damaged journal, what comes before the damage. */
export async function spansDone(storage: Storage, task: string): Promise<readonly DoneSpan[]> {
  return (await doneBy(storage, task)).spans;
}

async function read(storage: Storage, task: string): Promise<Done> {
  const cut = await cutFrom(storage, task);
  const done: Done = { position: { seq: 0, hash: '' }, cut, paths: new Map(), spans: [] };
  try {
    for await (const { seq, hash, data } of storage.read(task))
      take(done, task, { seq, hash }, parseEntry(data, seq));
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  return done;
}

async function cutFrom(storage: Storage, task: string): Promise<string> {
  return JSON.stringify((await loadCleaned(storage, task).catch(answering(isDamage, NOT_CLEANED))).cut);
}

function take(done: Done, task: string, position: Position, entry: Entry): void {
  done.position = position;
  const { seq } = position;
  if (entry.t === 'begin' && entry.paths) done.paths.set(entry.id, entry.paths);
  // A rollback or redo changed the same files once more, a take others.
  const moves = entry.t === 'rollback' || entry.t === 'redo' || entry.t === 'take';
  if (moves && entry.changed?.place) {
    const { from, to, place } = entry.changed;
    const at = Date.parse(entry.at);
    done.spans.push({ task, seq, place, from, to, doubtful: false, during: { since: at, until: at } });
  }
  if (entry.t !== 'step' && entry.t !== 'failure') return;
  const paths = done.paths.get(entry.id);
  if (!entry.files?.place) return;
  const { place } = entry.files;
  const { from, to } = (paths && entry.files.own) ?? entry.files;
  const since = Date.parse(entry.at);
  const during = { since, until: since + entry.ms };
  const known = paths ? { doubtful: false, paths } : { doubtful: true };
  done.spans.push({ task, seq, place, from, to, during, ...known });
}
