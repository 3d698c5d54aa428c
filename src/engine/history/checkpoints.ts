/**
 * The checkpoints of a task: those that its journal marks, and those that are records. A record of one that is marked is a
 * copy: it is read where the journal is damaged before the mark.
 */
import {
  type CheckpointSource,
  type CollectContext,
  type LoadedWith,
  type Located,
  type LocatedRecord,
  locatedRecords,
} from '../../checkpoint/located.ts';
import type { CheckpointRecord } from '../../checkpoint/record/record.ts';
import type { LoadBlob } from '../../checkpoint/values/pack.ts';
import { CorruptError, EngineError, VibeError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Storage } from '../../storage/contract.ts';
import { inSpans } from '../../storage/ranges.ts';
import { parseCheckpointId } from '../../task/keys.ts';
import { contextParts } from '../task/conversation.ts';
import { foldJournal, type LiveEntry } from '../task/journal.ts';
import { blobLoader } from '../task/packing.ts';
import { type Cleaned, loadCleaned } from '../task/records/cleaned.ts';
import { type Head, loadHead } from '../task/records/head.ts';
import { type Marked, type Marks, markReader, recordOf, type Wanted } from './marks.ts';

/** What is known of one without reading it, which costs nothing where the journal was just read. */
export interface TaskCheckpoint extends Located {
  readonly created_at: string;
  readonly marked: Marked | null;
  /** False for one that only a list of all has. */
  readonly listed: boolean;
}

/** Of any task of the store. */
export function taskCheckpoints(storage: Storage): CheckpointSource {
  return {
    list: (task, { all = false } = {}) => liveCheckpoints(storage, task, all ? 'all' : undefined),
    async find(task, sequence) {
      const head = await loadHead(storage, task);
      if (head) return findCheckpoint(storage, head, sequence);
      return (await liveCheckpoints(storage, task)).find((one) => one.sequence === sequence) ?? null;
    },
    async load(task, sequence, collect) {
      const head = await loadHead(storage, task);
      return head && loadMarked(storage, head, sequence, collect);
    },
  };
}

/** Oldest first. An execution without a head has records alone. */
export async function liveCheckpoints(
  storage: Storage,
  task: string,
  wanted?: Wanted,
): Promise<readonly TaskCheckpoint[]> {
  const head = await loadHead(storage, task);
  if (head) return listCheckpoints(storage, head, (await readMarks(storage, head, wanted)).marks);
  return (await locatedRecords(storage, task, blobLoader(storage, { task_id: task, lineage: [] }))).map(
    atRecord,
  );
}

/** Oldest first; `marks` if the journal has been read. */
export async function listCheckpoints(
  storage: Storage,
  head: Head,
  marks?: Marks,
): Promise<readonly TaskCheckpoint[]> {
  const seen = marks ?? (await readMarks(storage, head)).marks;
  const cleaned = await loadCleaned(storage, head.task_id);
  const load = blobLoader(storage, head);
  const listed = new Map<number, TaskCheckpoint>();
  for (const record of await locatedRecords(storage, head.task_id, load))
    if (!seen.isDropped(record.sequence)) listed.set(record.sequence, atRecord(record));
  for (const marked of seen.listed())
    listed.set(marked.sequence, atMark(head, marked, listed.get(marked.sequence)?.key ?? null, load));
  return [...listed.values()]
    .filter(({ sequence }) => !isRemoved(cleaned, sequence))
    .map((one) => (seen.isUnlisted(one.sequence) ? { ...one, listed: false } : one))
    .sort((a, b) => a.sequence - b.sequence);
}

async function findCheckpoint(storage: Storage, head: Head, sequence: number): Promise<Located | null> {
  if (isRemoved(await loadCleaned(storage, head.task_id), sequence)) return null;
  const { marks, damage } = await readMarks(storage, head, sequence);
  const marked = marks.found();
  const load = blobLoader(storage, head);
  const record = await recordAt(storage, head, sequence, load);
  if (marked) return atMark(head, marked, record?.key ?? null, load);
  if (record) return atRecord(record);
  if (damage) throw damage; // It may be in the part that cannot be read.
  return null;
}

/** Reads the journal once, up to the mark. Null without one, and where the journal is damaged before it. */
async function loadMarked(
  storage: Storage,
  head: Head,
  sequence: number,
  collect: CollectContext,
): Promise<LoadedWith | null> {
  if (isRemoved(await loadCleaned(storage, head.task_id), sequence)) return null;
  const { take, marks } = markReader(head, sequence);
  const seen = (one: LiveEntry): 'last' | undefined => {
    take(one);
    return marks.found() ? 'last' : undefined;
  };
  try {
    const context = await collect(contextParts(storage, head, { seen }));
    const marked = marks.found();
    return marked && { record: await recordOf(head, marked, blobLoader(storage, head)), context };
  } catch (error) {
    if (error instanceof CorruptError && !marks.found()) return null;
    throw error;
  }
}

/** Also true where damage leaves it open. */
export async function hasCheckpoint(storage: Storage, task: string, sequence: number): Promise<boolean> {
  try {
    return (await taskCheckpoints(storage).find(task, sequence)) !== null;
  } catch (error) {
    if (error instanceof CorruptError) return true;
    throw error;
  }
}

/** A mark that was found in the journal; null if clean-up has removed the checkpoint. */
export async function checkpointOfMark(
  storage: Storage,
  head: Head,
  marked: Marked,
): Promise<TaskCheckpoint | null> {
  const { sequence } = marked;
  if (isRemoved(await loadCleaned(storage, head.task_id), sequence)) return null;
  const load = blobLoader(storage, head);
  return atMark(head, marked, (await recordAt(storage, head, sequence, load))?.key ?? null, load);
}

async function recordAt(
  storage: Storage,
  { task_id }: Head,
  sequence: number,
  load: LoadBlob,
): Promise<LocatedRecord | undefined> {
  return (await locatedRecords(storage, task_id, load)).find((one) => one.sequence === sequence);
}

function atMark(head: Head, marked: Marked, key: string | null, load: LoadBlob): TaskCheckpoint {
  const { sequence, created_at } = marked;
  return { sequence, created_at, key, marked, listed: true, read: () => recordOf(head, marked, load) };
}

function atRecord(record: LocatedRecord): TaskCheckpoint {
  return { ...record, created_at: timeOfKey(record.key), marked: null, listed: true };
}

/** When the checkpoint was made, as the key of its record tells. */
export function timeOfKey(key: string): string {
  const match = /\/(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d(?:\.\d+)?Z)(?:-\d+)?$/.exec(key);
  return match ? `${match[1]}T${match[2]}:${match[3]}:${match[4]}` : new Date(0).toISOString();
}

/** By clean-up. */
export function isRemoved({ emptied_at, removed }: Cleaned, sequence: number): boolean {
  return emptied_at !== null || inSpans(removed, sequence);
}

/** As far as the journal can be read. */
async function readMarks(
  storage: Storage,
  head: Head,
  wanted?: Wanted,
): Promise<{ readonly marks: Marks; readonly damage: CorruptError | null }> {
  const { take, marks } = markReader(head, wanted);
  try {
    await foldJournal(storage, head, [take]);
    return { marks, damage: null };
  } catch (error) {
    if (error instanceof CorruptError) return { marks, damage: error };
    throw error;
  }
}

/** The record, or why it cannot be used. */
export async function tryCheckpoint(
  place: Located,
): Promise<{ readonly record: CheckpointRecord } | { readonly problem: string }> {
  try {
    return { record: await place.read() };
  } catch (error) {
    if (!(error instanceof VibeError)) throw error;
    return { problem: error.message };
  }
}

/** A checkpoint by its id; CHECKPOINT_NOT_FOUND or CORRUPT. */
export async function requireCheckpoint(storage: Storage, id: string): Promise<CheckpointRecord> {
  const parsed = parseCheckpointId(id);
  const place = parsed && (await taskCheckpoints(storage).find(parsed.task, parsed.sequence));
  if (!place) throw notFound(id, parsed && (await whyGone(storage, parsed.task, parsed.sequence)));
  return place.read();
}

/** As its id says. CHECKPOINT_NOT_FOUND if that is no id of one. */
export function taskOfCheckpoint(id: string): string {
  const parsed = parseCheckpointId(id);
  if (!parsed) throw notFound(id);
  return parsed.task;
}

export type Gone = 'cleaned' | 'rolled_back';

/** Why a checkpoint that there was is not there; null where there never was one, as far as that is known. */
export async function whyGone(storage: Storage, task: string, sequence: number): Promise<Gone | null> {
  const head = await loadHead(storage, task);
  if (!head) return null;
  if (sequence <= head.last_checkpoint && isRemoved(await loadCleaned(storage, task), sequence))
    return 'cleaned';
  try {
    for await (const { data } of storage.read(task))
      if ((data as { mark?: { n?: unknown } }).mark?.n === sequence) return 'rolled_back';
  } catch (error) {
    if (!(error instanceof CorruptError)) throw error;
  }
  return null;
}

function notFound(id: string, gone: Gone | null = null): EngineError {
  const hint = {
    cleaned: phrase`Clean-up has removed it. List the checkpoints of the task.`,
    rolled_back: phrase`The task was rolled back past it: a redo brings it back, as long as the task has not run since.`,
  };
  return new EngineError('CHECKPOINT_NOT_FOUND', phrase`There is no checkpoint ${id}.`, {
    data: { id, why: gone },
    hint: gone ? hint[gone] : phrase`List all checkpoints of the task: vibe-engine checkpoints list --all.`,
  });
}
