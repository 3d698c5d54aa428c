/** The task's own changes, from its journal in the store. */
import type { CheckpointRecord } from '../../checkpoint/record/record.ts';
import type { Storage } from '../../storage/contract.ts';
import { type Cut, isAfter, type Point } from '../task/cut.ts';
import type { Entry, EntryOf } from '../task/entries.ts';
import { foldJournal, type LiveEntry, liveEntries, type Reducer } from '../task/journal.ts';
import { type Head, loadHead } from '../task/records/head.ts';
import { readSpans, type SpanReader } from './spans.ts';

/** The entries of a journal about files, oldest first. */
export type FileEntries = readonly FileEntry[];

interface FileEntry extends LiveEntry {
  /** When the next entry of any kind came, whether it counts or not. */
  next?: number;
}

/** Collects them while the journal is read. */
export function collectFiles(found: FileEntry[]): Reducer {
  /** Operations that began with a snapshot: the ends of others say nothing about files, and a long task has many. */
  const begun = new Set<string>();
  const open = new Set<string>();
  let last: FileEntry | undefined;
  return (one) => {
    if (last) last.next = endOf(one.entry);
    last = undefined;
    const entry = slim(one.entry, begun) ?? (open.size > 0 || isTurn(one.entry) ? lookAt(one.entry) : null);
    if (entry) takeOpen(entry, open);
    if (!entry) return;
    last = { ...one, entry };
    found.push(last);
  };
}

/** And where its files are. */
export interface OwnSpans extends SpanReader {
  readonly place: string | null;
}

/** Everything the task did, and before it those it was forked from; `known` if the journal has been read. */
export async function spansOf(storage: Storage, task: string, known?: FileEntries): Promise<OwnSpans> {
  const reader = readSpans();
  const head = await loadHead(storage, task);
  if (!head) return { ...reader, place: null };
  const files = known ?? (await readFiles(storage, head));
  for (const { entry, next } of asTheyCount(files, head, oldest(head))) reader.take(entry, next);
  return { ...reader, place: placeOf(files) };
}

/** What it did after a point of its journal. */
export async function spansAfter(
  storage: Storage,
  id: string,
  point: Point,
  known?: FileEntries,
): Promise<OwnSpans> {
  const reader = readSpans();
  const head: Head | null = await loadHead(storage, id);
  if (!head) return { ...reader, place: null };
  const files = known ?? (await readFiles(storage, head));
  const fromStart = point.task === id && point.seq === 0;
  let passed = false;
  for (const { task, seq, entry, next } of asTheyCount(files, head, point)) {
    const after = isAfter(head, point, { task, seq });
    if (!after && fromStart) continue; // What was in progress there is of the task it was forked from.
    if (!passed && after) {
      reader.cut(point.snapshot);
      passed = true;
    }
    reader.take(entry, next);
  }
  if (!passed) reader.cut(point.snapshot);
  return { ...reader, place: placeOf(files) };
}

/** Where files were last changed; null where nothing has ended yet that could. */
export function placeOf(files: FileEntries): string | null {
  for (const { entry } of files.toReversed()) {
    const changed = entry.t === 'step' || entry.t === 'failure' ? entry.files : null;
    const place = entry.t === 'take' ? entry.changed?.place : changed?.place;
    if (place) return place;
  }
  return null;
}

/** The files when the task started, or those it was forked from; null if nothing was captured. */
export async function firstSnapshot(storage: Storage, task: string): Promise<string | null> {
  const head = await loadHead(storage, task);
  if (!head) return null;
  for await (const { entry } of liveEntries(storage, head)) {
    const found = entry.mark?.snapshot ?? ('snapshot' in entry ? entry.snapshot : undefined);
    if (found !== undefined) return found;
  }
  return null;
}

export async function readFiles(storage: Storage, head: Head): Promise<FileEntries> {
  const found: FileEntry[] = [];
  await foldJournal(storage, head, [collectFiles(found)]);
  return found;
}

export function pointOf({ task_id: task, journal, snapshot }: CheckpointRecord): Point {
  return { task, seq: journal.seq, snapshot };
}

/** Before everything that the task did itself. */
export function startOf(task: string): Point {
  return { task, seq: 0 };
}

function oldest({ task_id, lineage }: Head): Cut {
  return { task: lineage[0]?.task ?? task_id, seq: 0 };
}

/** An entry and the one before it, as files count. */
interface Link extends FileEntry {
  readonly before: Link | null;
}

/**
 * As they count for changes since `point`. Where files alone were put back, the next entry follows the one they were put
 * back to; if that lies before `point`, the restore is itself a change since.
 */
function asTheyCount(entries: FileEntries, head: Head, point: Cut): Link[] {
  const all: Link[] = [];
  for (const one of entries) {
    const { entry } = one;
    const files = entry.t === 'rollback' ? entry.files : undefined;
    const back = files !== undefined && !isAfter(head, files, point);
    const before = back ? all.findLast((earlier) => !isAfter(head, files, earlier)) : all.at(-1);
    all.push({
      ...one,
      entry: back ? withoutFiles(entry as EntryOf<'rollback'>) : entry,
      before: before ?? null,
    });
  }
  const found: Link[] = [];
  for (let one = all.at(-1) ?? null; one; one = one.before) found.push(one);
  return found.reverse();
}

function endOf(entry: Entry): number {
  return Date.parse(entry.at) + ('ms' in entry ? (entry.ms ?? 0) : 0);
}

/** Which of them are in progress. */
function takeOpen(entry: Entry, open: Set<string>): void {
  if (entry.t === 'begin') open.add(entry.id);
  if (entry.t === 'step' || entry.t === 'failure' || entry.t === 'skip') open.delete(entry.id);
  if (entry.t === 'recovery' || entry.t === 'rollback' || entry.t === 'take' || entry.t === 'fork')
    open.clear();
}

/** A checkpoint, whatever it was made with; null if it is none, or tells of no files. */
function lookAt(entry: Entry): Entry | null {
  if (entry.mark?.snapshot === undefined) return null;
  const { n, snapshot } = entry.mark;
  const by = isTurn(entry) ? { by: entry.mark.by } : {};
  return { t: 'checkpoint', at: new Date(endOf(entry)).toISOString(), mark: { n, snapshot, ...by } };
}

function isTurn({ mark }: Entry): boolean {
  return mark?.by === 'before_turn';
}

/** Without what may be large; null if it says nothing about files. */
function slim(entry: Entry, begun: Set<string>): Entry | null {
  switch (entry.t) {
    case 'begin':
      if (entry.snapshot === undefined) return null;
      begun.add(entry.id);
      return { ...entry, tool: undefined, context: undefined, mark: undefined };
    case 'step':
      if (!begun.has(entry.id)) return null;
      return { ...entry, result: null, tool: undefined, context: undefined, mark: undefined };
    case 'failure':
      return begun.has(entry.id) ? { ...entry, tool: undefined, context: undefined, mark: undefined } : null;
    case 'result':
      return begun.has(entry.id) && entry.snapshot !== undefined ? { ...entry, result: null } : null;
    case 'skip':
    case 'recovery':
    case 'rollback':
    case 'take':
    case 'fork':
      return entry;
    default:
      return null;
  }
}

function withoutFiles({ files: _, ...entry }: EntryOf<'rollback'>): Entry {
  return entry;
}
