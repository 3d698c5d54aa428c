/**
 * A scope is what one log holds: a task, or (`task: null`) the records outside tasks. Its state in memory is the log
 * read forward: where it ends, and which records it wrote that the views may not show yet.
 */
import { CorruptError, StoreError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { openIfExists, readIfExists } from '../../system/files.ts';
import * as io from '../../system/io.ts';
import { refuseLinks } from '../../system/own-files.ts';
import { START } from '../chain.ts';
import type { Position } from '../contract.ts';
import { isRecordName } from '../keys.ts';
import { storeGone } from './fence.ts';
import type { Layout } from './layout.ts';
import { type Frame, type FrameRecord, recordsOf } from './lines/frame.ts';
import { damaged, identityOf, LOG_VERSION, type LogFrame, NO_SUM, scanForward } from './lines/log.ts';
import { decodeIndex, decodeView, type ViewIndex } from './view.ts';

export interface Scope {
  readonly task: string | null;
  readonly path: string;
  readonly logId: string;
  /** The form of its lines. */
  readonly version: number;
  /** Where the last good frame begins and ends, its number and sum, and the sum before it. */
  start: number;
  end: number;
  /** How far the file reaches with the zeros after its end, as far as this object put them there; else 0. */
  room: number;
  number: number;
  sum: string;
  previousSum: string;
  /** Where the journal ends. */
  position: Position;
  fence: number;
  gaps: readonly (readonly [number, number])[];
  /** Of a task: every record. Of the records outside tasks: those the log still holds. By category/key. */
  readonly records: Map<string, RecordState>;
  /** Of those, what had no view when the views were last written. */
  readonly unseen: Set<string>;
  /** What is wrong with the log behind its last good frame. Of a task only where it is read in spite of that. */
  damage: CorruptError | null;
  /** Whether the last frame is known to be on the disk because this object synced it. */
  synced: boolean;
}

export interface RecordState extends Omit<FrameRecord, 'text'> {
  /** The encoded data; null when removed; undefined when only the view has it. */
  readonly text: string | null | undefined;
}

/** Reads a scope from its log; null when it has none yet. */
export function loadScope(layout: Layout, task: string | null): Scope | null {
  const path = task === null ? layout.sharedLog : layout.taskLog(task);
  const indexPath = task === null ? layout.sharedIndex : layout.taskIndex(task);
  if (task !== null) refuseLinks([layout.taskDir(task), path]);
  // Reads the index first: it never describes more than the log has, even if both change in the meantime.
  const index = readIndex(indexPath);
  const file = openIfExists(path);
  if (!file) {
    if (!io.lstat(indexPath)) return null;
    if (!io.lstat(layout.sharedLog)) throw storeGone(layout.sharedLog);
    throw damaged(path, 0, phrase`it is missing, but its index exists`);
  }
  try {
    const scope = scopeFrom(file, task, index);
    if (task !== null && index?.log !== scope.logId) assertNoNewerView(layout, scope);
    return scope;
  } finally {
    io.close(file);
  }
}

/** Undefined where it has to be repaired, and then read again. */
export function loadUnlessDamaged(layout: Layout, task: string): Scope | null | undefined {
  try {
    return loadScope(layout, task);
  } catch (error) {
    if (error instanceof CorruptError) return undefined;
    throw error;
  }
}

/** A task whose log is damaged, for reading only: what the log holds before the damage. */
export function damagedScope(layout: Layout, task: string, damage: CorruptError): Scope {
  const path = layout.taskLog(task);
  const file = openIfExists(path);
  const scope = { ...blankScope(task, path), damage };
  if (!file) return scope;
  try {
    for (const found of scanForward(file, 0, NO_SUM)) {
      const first = found.start === 0;
      if (first && identityOf(found.frame)?.task !== task) return scope;
      applyFrame(scope, first ? { ...found, frame: { ...found.frame, texts: [] } } : found);
    }
  } catch (error) {
    if (!(error instanceof CorruptError)) throw error;
  } finally {
    io.close(file);
  }
  return scope;
}

function scopeFrom(file: io.OpenFile, task: string | null, found: ViewIndex | null): Scope {
  const scope = task === null ? startOrDamage(file) : startScope(file, task);
  const index = found?.log === scope.logId ? found : null;
  if (task !== null && index) skipTo(scope, file, index);
  if (scope.damage) return scope;
  if (task === null) readOnDamaged(scope, file);
  else readOn(scope, file);
  const short = index && scope.end < index.end ? tooShort(file.path, scope.end) : null;
  if (short && task !== null) throw short;
  scope.damage ??= short;
  return scope;
}

/** Reads what was appended since. */
export function readOn(scope: Scope, file: io.OpenFile): void {
  for (const found of scanForward(file, scope.end, scope.sum)) applyFrame(scope, found);
}

/** The same where there is another copy of what the damage hides: the views of records outside tasks. */
export function readOnDamaged(scope: Scope, file: io.OpenFile): void {
  try {
    readOn(scope, file);
  } catch (error) {
    if (!(error instanceof CorruptError)) throw error;
    scope.damage = error;
  }
}

/** A scope before its first commit. */
export function blankScope(
  task: string | null,
  path: string,
  logId = '',
  version: number = LOG_VERSION,
): Scope {
  return {
    task,
    path,
    logId,
    version,
    start: 0,
    end: 0,
    room: 0,
    number: 0,
    sum: NO_SUM,
    previousSum: NO_SUM,
    position: START,
    fence: 0,
    gaps: [],
    records: new Map(),
    unseen: new Set(),
    damage: null,
    synced: false,
  };
}

export function applyFrame(scope: Scope, { frame, start, end, previousSum }: LogFrame): void {
  scope.start = start;
  scope.end = end;
  scope.number = frame.number;
  scope.sum = frame.sum;
  scope.previousSum = previousSum;
  scope.position = { seq: frame.meta.s, hash: frame.meta.h };
  scope.fence = Math.max(scope.fence, frame.meta.f);
  scope.gaps = frame.meta.g ?? [];
  scope.synced = false;
  for (const record of recordsOf(frame)) {
    if (!belongs(scope, record)) throw damaged(scope.path, start, phrase`it holds a record of another task`);
    scope.records.set(`${record.category}/${record.key}`, record);
  }
}

/** A log that somebody else wrote must not reach the files of another task. */
function belongs({ task }: Scope, { category, key }: Pick<FrameRecord, 'category' | 'key'>): boolean {
  return task === null ? category !== 'tasks' : category === 'tasks' && key.startsWith(`${task}/`);
}

function startScope(file: io.OpenFile, task: string | null): Scope {
  const first = scanForward(file, 0, NO_SUM).next();
  const identity = first.done ? null : identityOf(first.value.frame);
  const { r: records, e: entries } = first.done ? {} : first.value.frame.meta;
  if (first.done || !identity || identity.task !== task || records || entries) {
    throw damaged(file.path, 0, phrase`it does not start like a log of this store`);
  }
  if (identity.version > LOG_VERSION) throw writtenByNewer(file.path, identity.version);
  const frame: Frame = { ...first.value.frame, texts: [] };
  const scope = blankScope(task, file.path, identity.id, identity.version);
  applyFrame(scope, { ...first.value, frame });
  return scope;
}

/** Records outside tasks have files of their own: they can be read even if the log's start is damaged. */
function startOrDamage(file: io.OpenFile): Scope {
  try {
    return startScope(file, null);
  } catch (error) {
    if (!(error instanceof CorruptError)) throw error;
    return { ...blankScope(null, file.path), damage: error };
  }
}

/** Takes the records from the index and goes to the newest frame it covers, which is then read and verified again. */
function skipTo(scope: Scope, file: io.OpenFile, index: ViewIndex): void {
  const { size } = io.stat(file);
  if (size < index.end) throw tooShort(file.path, size);
  if (index.start > 0) {
    scope.end = index.start;
    scope.sum = index.previous;
  }
  for (const [key, revision] of Object.entries(index.records)) {
    const state = { category: 'tasks', key, revision, updated_at: '', text: undefined };
    if (!isRecordName('tasks', key) || !belongs(scope, state))
      throw damaged(scope.path, 0, phrase`its index names a record of another task`);
    scope.records.set(`tasks/${key}`, state);
  }
}

/** An index only describes what was acknowledged. */
function tooShort(path: string, end: number): CorruptError {
  return damaged(path, end, phrase`it ends there, but its index has seen more of it`);
}

/** Without an index the views tell of a lost end, too: each was written after what it shows. */
function assertNoNewerView(layout: Layout, { path, end, records }: Scope): void {
  for (const { category, key, revision } of records.values()) {
    const bytes = readIfExists(layout.recordFile(category, key));
    const view = bytes && decodeView(bytes);
    if (view && view.revision > revision)
      throw damaged(path, end, phrase`it ends there, but a record next to it is newer`);
  }
}

function readIndex(path: string): ViewIndex | null {
  const bytes = readIfExists(path);
  return bytes && decodeIndex(bytes);
}

export function writtenByNewer(where: string, version: number): StoreError {
  return new StoreError(
    'STORE_NEWER',
    phrase`${where} was written by a newer vibe-engine (format ${version}).`,
    {
      data: { where, version, supported: LOG_VERSION },
      hint: phrase`Use at least that version of vibe-engine with this store; nothing was changed.`,
    },
  );
}
