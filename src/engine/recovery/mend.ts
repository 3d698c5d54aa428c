/**
 * Repairs a task whose journal or state is damaged: damaged data is put aside, and the task goes back to the last intact
 * point. Nothing is deleted, and every change is reported.
 */

import type { CheckpointRecord } from '../../checkpoint/record/record.ts';
import { CorruptError } from '../../errors.ts';
import { loadState, stateRecord } from '../../persistence/state-records.ts';
import { phrase } from '../../phrase.ts';
import type { RecordWrite, Storage } from '../../storage/contract.ts';
import { isFinal, type TaskStatus } from '../../task/status.ts';
import type { Services } from '../api/services.ts';
import { concernsFiles, lostFiles } from '../files/lost-spans.ts';
import type { TailEntry } from '../files/open-at-end.ts';
import { liveCheckpoints, tryCheckpoint } from '../history/checkpoints.ts';
import { clipRanges } from '../task/cut.ts';
import { isUnreadable, mendOutside } from '../task/damage.ts';
import { parseEntry } from '../task/entries.ts';
import { foldJournal, liveEntries } from '../task/journal.ts';
import { emptyMemory, remember } from '../task/memory.ts';
import { type Head, headRecord, isDead, loadHead } from '../task/records/head.ts';
import { keyOf } from '../task/records/kind.ts';
import { loadTracker, VERSIONS } from '../task/records/versions.ts';
import { newTask } from '../task/tasks.ts';
import { toPaused } from '../task/transitions.ts';
import { lostEnd } from './lost-blobs.ts';

/** Does the work, and repeats it if it met damage that could be put aside: `notes` say what was done. */
export async function repeatAfterMending<T>(
  { storage }: Pick<Services, 'storage'>,
  task: string,
  work: (notes: readonly string[]) => Promise<T>,
): Promise<T> {
  try {
    return await work([]);
  } catch (error) {
    const notes = isUnreadable(error) ? await mendTask(storage, task) : [];
    if (notes.length === 0) throw error;
    return await work(notes);
  }
}

/** The same for operations that report nothing themselves. */
export function mendAndNotify(
  services: Pick<Services, 'storage' | 'notify'>,
): <T>(task: string, work: () => Promise<T>) => Promise<T> {
  return (task, work) =>
    repeatAfterMending(services, task, async (notes) => {
      if (notes.length > 0) services.notify?.(notes);
      try {
        return await work();
      } catch (error) {
        // Put aside by an earlier call, which was refused as well.
        const earlier =
          notes.length > 0 || isUnreadable(error) ? [] : await unsettled(services.storage, task);
        if (earlier.length > 0) services.notify?.(earlier);
        throw error;
      }
    });
}

/** What was done about damage since the task last ran. */
async function unsettled(storage: Storage, task: string): Promise<readonly string[]> {
  const found = await readable(async () => {
    const head = await loadHead(storage, task);
    const end = head && lostEnd(head);
    if (end) await foldJournal(storage, head, [end.take]);
    return end?.found()?.notes;
  });
  return found ?? [];
}

/** What was done about the damage, one sentence each; empty if nothing could be done. TASK_OWNED while it is running. */
async function mendTask(storage: Storage, task: string): Promise<string[]> {
  return (await mendWhole(storage, task)).notes;
}

/** The same, and where the copy of a damaged journal is. */
export async function mendWhole(
  storage: Storage,
  task: string,
): Promise<{ readonly notes: string[]; readonly aside: string | null }> {
  const notes: string[] = [];
  let aside: string | null = null;
  let behind: readonly TailEntry[] = [];
  if (await hasDamagedJournal(storage, task)) {
    behind = await behindDamage(storage, task);
    const repair = await storage.repair(task);
    aside = repair?.aside ?? null;
    if (repair)
      notes.push(
        phrase`The journal was damaged after entry ${repair.kept.seq}: the task resumes from there. What was damaged is kept in ${repair.aside}.`,
      );
  }
  notes.push(...(await mendOutside(storage)));
  const head = await readable(() => loadHead(storage, task));
  if (!head) return { notes, aside };
  notes.push(...(await settle(storage, head, notes, behind)));
  if (await isStateDamaged(storage, task)) notes.push(...(await mendState(storage, task)));
  notes.push(...(await mendVersions(storage, task)));
  return { notes, aside };
}

async function hasDamagedJournal(storage: Storage, task: string): Promise<boolean> {
  const read = async (): Promise<true> => {
    for await (const _ of storage.read(task));
    await storage.position(task);
    return true;
  };
  return (await readable(read)) === null;
}

/** The entries after the damage that tell of files, oldest first: they are read from the end. */
async function behindDamage(storage: Storage, task: string): Promise<readonly TailEntry[]> {
  const found: TailEntry[] = [];
  await readable(async () => {
    for await (const { seq, data } of storage.read(task, { reverse: true })) {
      const entry = parseEntry(data, seq);
      if (concernsFiles(entry)) found.push({ seq, entry });
    }
  });
  return found.reverse();
}

async function readable<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (isUnreadable(error)) return null;
    throw error;
  }
}

/**
 * Checkpoints of lost entries are put aside, and what was rolled back beyond the end no longer counts. This is recorded at
 * once, because files may be beyond the journal even if the task is not resumed now.
 */
async function settle(
  storage: Storage,
  head: Head,
  told: readonly string[],
  behind: readonly TailEntry[],
): Promise<string[]> {
  const { task_id: task } = head;
  const end = await storage.position(task);
  const usable = withinJournal(head, end.seq);
  const beyond: { readonly sequence: number; readonly key: string }[] = [];
  const lostOnes: CheckpointRecord[] = [];
  /** The files before the lost part: from the newest remaining snapshot, or else the first. */
  let snapshot: string | undefined;
  let left: CheckpointRecord | undefined;
  for (const place of await liveCheckpoints(storage, task)) {
    const found = await tryCheckpoint(place);
    if (!('record' in found)) continue;
    const isLeft = await isInJournal(storage, task, found.record.journal);
    const { sequence, key } = place;
    if (!isLeft && key !== null) {
      beyond.push({ sequence, key });
      lostOnes.push(found.record);
    }
    if (isLeft) left = found.record;
    if (isLeft || place.sequence === 1) snapshot = found.record.snapshot ?? snapshot;
  }
  if (usable === head && beyond.length === 0 && told.length === 0) return [];
  const undone = head.undone.filter((rollback) => !usable.undone.includes(rollback));
  const leaving = [...beyond, ...undone].map(({ key }) => key);
  await keepAside(storage, task, leaving);
  const passed = phrase`Skipped, because after the damage: ${beyond.length === 1 ? 'checkpoint' : 'checkpoints'} ${beyond.map(({ sequence }) => sequence)}. Kept as aside/${task}.`;
  const notes = beyond.length === 0 ? [] : [passed];
  const entries = behind.filter(({ seq }) => seq > end.seq && !isDead(head.dead, seq));
  const lost = await lostFiles(storage, task, end.seq, left, { entries, checkpoints: lostOnes });
  const entry = {
    t: 'recovery',
    at: new Date().toISOString(),
    checkpoint: null,
    unknown: [],
    notes: [...told, ...notes],
    mended: { ...(snapshot === undefined ? {} : { snapshot }), ...(lost ? { lost } : {}) },
  };
  await storage.commit({
    task,
    records: [...(usable === head ? [] : [headRecord(usable)]), ...leaving.map(removal)],
    append: { after: end, entries: [entry] },
  });
  return notes;
}

export function removal(key: string): RecordWrite {
  return { category: 'tasks', key, remove: true };
}

/** Copies of records that are about to be removed from the lists: `aside/{task}/{number}-{revision}`. */
export async function keepAside(storage: Storage, task: string, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    const record = await readable(() => storage.get('tasks', key));
    if (!record) continue;
    const name = key.slice(task.length + 1).replaceAll('/', '-');
    const data = { key, data: record.data, at: new Date().toISOString() };
    await storage.save('aside', `${task}/${name}-${record.revision}`, data);
  }
}

/** Entries that took the place of damaged ones have their numbers, but not their hashes. */
export async function isInJournal(
  storage: Storage,
  task: string,
  { seq, hash }: { readonly seq: number; readonly hash: string },
): Promise<boolean> {
  if (seq === 0) return true;
  // From the end, near which it is.
  for await (const entry of storage.read(task, { from: seq, to: seq, reverse: true }))
    return entry.hash === hash;
  return false;
}

/** A repaired journal gives numbers out again: what was rolled back beyond its end no longer concerns them. */
export function withinJournal(head: Head, end: number): Head {
  const isWithin = ({ to }: { readonly to: number }): boolean => to < end; // The rollback is the entry after it.
  if (head.undone.every(isWithin) && head.dead.every(([, to]) => to <= end)) return head;
  return { ...head, dead: clipRanges(head.dead, end), undone: head.undone.filter(isWithin) };
}

async function isStateDamaged(storage: Storage, task: string): Promise<boolean> {
  return (await readable(() => loadState(storage, task))) === null;
}

/** The journal says where the task was: unless it has ended, it can resume from there. */
async function mendState(storage: Storage, task: string): Promise<string[]> {
  const head = (await loadHead(storage, task))!;
  const memory = emptyMemory();
  let status: TaskStatus = 'queued';
  for await (const { entry } of liveEntries(storage, head)) {
    remember(memory, entry);
    if (entry.t === 'status') status = entry.to as TaskStatus;
  }
  if (isFinal(status)) throw lostOutcome(task, status);
  const now = new Date();
  const reason = phrase`its state was damaged`;
  const { definition, input, task_name, working_dir } = head;
  const made = newTask(task, definition, input, { task_name, working_dir }, new Date(head.created_at));
  const { state } = toPaused(made.state, memory, input, reason, now);
  const entry = { t: 'status', at: now.toISOString(), from: status, to: state.status, reason };
  const append = { after: await storage.position(task), entries: [entry] };
  await storage.commit({ task, records: [stateRecord(state)], append });
  return [phrase`The state of the task was damaged: it was made again from the journal.`];
}

/** It is recorded again, as it is then, when the task is resumed. */
async function mendVersions(storage: Storage, task: string): Promise<string[]> {
  try {
    await loadTracker(storage, task);
    return [];
  } catch (error) {
    if (!isUnreadable(error)) throw error;
  }
  await storage.commit({ task, records: [removal(keyOf(VERSIONS, task))] });
  return [
    phrase`The record of the task's place in git was damaged: it starts again from where the repository is now. What upstream brought before is not reported.`,
  ];
}

function lostOutcome(task: string, status: TaskStatus): CorruptError {
  return new CorruptError(phrase`Task ${task} has ended (${status}), and its state is lost.`, {
    data: { task, status },
    hint: phrase`There is nothing left to resume. Restore the store from a backup to see its result.`,
  });
}
