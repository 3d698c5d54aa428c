/** What a task whose journal is damaged in the middle had in progress at its end. */
import type { Storage } from '../../storage/contract.ts';
import type { Entry, EntryOf } from '../task/entries.ts';
import { liveEntries } from '../task/journal.ts';
import { loadHead } from '../task/records/head.ts';

/** An entry of the part that was read from the end, as far as it tells of files. */
export interface TailEntry {
  readonly seq: number;
  readonly entry: Entry;
}

/**
 * The files that operations in progress at the end can change; null where that may be any. `tail` is what was read from the
 * end of the journal up to the damage: without any of it, nobody knows what came last.
 */
export async function openAtEnd(
  storage: Storage,
  task: string,
  tail: readonly TailEntry[],
): Promise<readonly string[] | null> {
  const head = await loadHead(storage, task);
  if (!head || tail.length === 0) return null;
  const before = new Map<string, EntryOf<'begin'>>();
  for await (const { entry } of liveEntries(storage, head)) take(before, entry);
  const since = new Map<string, EntryOf<'begin'>>();
  for (const { entry } of tail) {
    take(since, entry);
    if (entry.t === 'recovery' || entry.t === 'rollback') before.clear();
    if (entry.t !== 'begin' && entry.t !== 'step' && entry.t !== 'failure') continue;
    // What its agent began earlier ended in the lost part, or it would not have begun this.
    for (const [id, { agent, index }] of before)
      if (agent === entry.agent && index <= entry.index) before.delete(id);
  }
  const left = [...before.values(), ...since.values()];
  return left.every(({ paths }) => paths) ? left.flatMap(({ paths }) => paths ?? []) : null;
}

function take(open: Map<string, EntryOf<'begin'>>, entry: Entry): void {
  if (entry.t === 'begin' && entry.snapshot !== undefined) open.set(entry.id, entry);
  if (entry.t === 'step' || entry.t === 'failure') open.delete(entry.id);
  if (entry.t === 'recovery' || entry.t === 'rollback' || entry.t === 'fork') open.clear();
}
