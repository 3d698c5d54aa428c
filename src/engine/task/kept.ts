/** What was read of a task, kept for the next question: only what was added to its journal since is read then. */
import type { Position, Storage } from '../../storage/contract.ts';
import { parseEntry } from './entries.ts';
import type { LiveEntry } from './journal.ts';

type Of<V> = (storage: Storage, task: string) => Promise<V>;

/**
 * Of the last `most` tasks asked about, by store: it is read once for all callers, who are answered one after another.
 * `refresh`: null if it has to be read again.
 */
export function keptOf<V>(
  most: number,
  read: Of<V>,
  refresh: (storage: Storage, task: string, known: V) => Promise<V | null>,
): Of<V> {
  const kept = new WeakMap<Storage, Map<string, Promise<V>>>();
  return (storage, task) => {
    const known = kept.get(storage) ?? new Map<string, Promise<V>>();
    kept.set(storage, known);
    const before = known.get(task);
    const now = (before ? before.then((one) => refresh(storage, task, one)) : Promise.resolve(null))
      .catch(() => null) // What could not be refreshed is read again.
      .then((one) => one ?? read(storage, task));
    known.delete(task);
    known.set(task, now);
    now.catch(() => known.get(task) === now && known.delete(task));
    for (const oldest of known.keys()) if (known.size > most) known.delete(oldest);
    return now;
  };
}

/** Newest first, so that a long journal is not read from its beginning. Null if it does not continue what was read. */
export async function addedSince(
  storage: Storage,
  task: string,
  { seq: last, hash: known }: Position,
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
