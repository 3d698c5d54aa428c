/** Reading records and keeping their readable files: memory first, then the view, then the log it came from. */
import { dirname } from 'node:path';
import { CorruptError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import {
  openIfExists,
  placeFile,
  placeFileUnsynced,
  readIfExists,
  removeIfExists,
  syncDir,
} from '../../system/files.ts';
import * as io from '../../system/io.ts';
import { jsonIn } from '../../system/json.ts';
import { ensureDirBelow, refuseLinksBelow } from '../../system/own-files.ts';
import type { Layout } from './layout.ts';
import { type Frame, recordsOf } from './lines/frame.ts';
import { damaged, type LogFrame, NO_SUM, scanForward } from './lines/log.ts';
import { frameBefore } from './lines/seek.ts';
import type { RecordState, Scope } from './scope.ts';
import { decodeView, encodeIndex, encodeView, revisionIn, type View } from './view.ts';

/** The record as it is now, or null. */
export function readRecord(layout: Layout, scope: Scope, category: string, key: string): View | null {
  if (scope.damage) return readBesideDamage(layout, scope, category, key);
  const known = scope.records.get(`${category}/${key}`);
  if (known?.text === null) return null;
  if (known && known.text !== undefined) return { ...known, text: known.text };
  if (!known && scope.task !== null) return null;
  const path = layout.recordFile(category, key);
  const bytes = readIfExists(path);
  const view = bytes && decodeView(bytes);
  if (scope.task === null) {
    if (bytes && !view) throw notOurs(path);
    return view;
  }
  if (view && view.revision === known?.revision) return view;
  const found = rebuilt(scope, known!);
  if (found === 'gone') return null;
  return found ?? fail(path);
}

/** The log is damaged, so a later version may be in the part that cannot be read: the view has to be valid by itself. */
function readBesideDamage(layout: Layout, scope: Scope, category: string, key: string): View | null {
  const known = scope.records.get(`${category}/${key}`);
  const path = layout.recordFile(category, key);
  const bytes = readIfExists(path);
  const view = bytes && decodeView(bytes);
  if (view && view.revision >= (known?.revision ?? 0)) return view;
  // A task is only read until it is repaired, and the repair uses the same version.
  if (scope.task !== null && known) return known.text == null ? null : { ...known, text: known.text };
  if (bytes || known?.text) throw scope.damage;
  return null;
}

/** The revision of a record now, 0 when there is none. */
export function revisionOf(layout: Layout, scope: Scope, category: string, key: string): number {
  const known = scope.records.get(`${category}/${key}`);
  if (known) return known.text === null ? 0 : known.revision;
  return scope.task === null ? revisionInFile(layout, scope, category, key) : 0;
}

/** A damaged record exists and can be written again. An intact file of another program stays. */
function revisionInFile(layout: Layout, scope: Scope, category: string, key: string): number {
  if (scope.damage) return readRecord(layout, scope, category, key)?.revision ?? 0;
  const path = layout.recordFile(category, key);
  const bytes = readIfExists(path);
  if (!bytes) return 0;
  const revision = revisionIn(bytes);
  if (revision === null && isForeign(bytes)) throw notOurs(path);
  return revision ?? 1;
}

function notOurs(path: string): CorruptError {
  return damaged(path, 0, phrase`it is not a record of this store`);
}

function isForeign(bytes: Buffer): boolean {
  const found = jsonIn(bytes.toString('utf8')) as Readonly<Record<string, unknown>> | null | undefined;
  return found !== undefined && found?.$store === undefined;
}

/**
 * Writes the views that are behind, and for a task the index that says what they show. Not synced: the log has everything.
 */
export function writeViews(layout: Layout, scope: Scope): void {
  for (const [place, record] of scope.records) {
    if (record.text === undefined) continue;
    const path = layout.recordFile(record.category, record.key);
    if (record.text === null) {
      if (!scope.unseen.has(place)) removeView(layout, path);
      if (scope.task !== null) scope.records.delete(place);
      continue;
    }
    if (!isShown(layout, path, { ...record, text: record.text })) continue;
    if (scope.task !== null) scope.records.set(place, { ...record, text: undefined });
  }
  scope.unseen.clear();
  // An index must not mention a frame that may not be on disk.
  if (scope.task !== null && scope.synced) {
    placeFileUnsynced(layout.taskIndex(scope.task), encodeIndex(indexOf(scope)));
  }
}

function removeView(layout: Layout, path: string): void {
  refuseLinksBelow(layout.root, dirname(path));
  removeIfExists(path);
}

/** False also for a record that cannot be read: it stays in the log, and loading it fails. */
function isShown(layout: Layout, path: string, view: View): boolean {
  try {
    const bytes = encodeView(view);
    ensureDirBelow(layout.root, dirname(path));
    placeFileUnsynced(path, bytes);
    return true;
  } catch (error) {
    if (error instanceof CorruptError) return false;
    throw error;
  }
}

/** Notes, before a commit is taken in, which of its records have no view yet: if they go before they get one, nothing is left. */
export function noteUnseen(scope: Scope, { meta }: Frame): void {
  for (const [category, key] of meta.r ?? []) {
    const place = `${category}/${key}`;
    if (!scope.records.has(place)) scope.unseen.add(place);
  }
}

/** Has torn, missing or outdated views written again, by putting their records back into memory. */
export function recallViews(layout: Layout, scope: Scope): boolean {
  for (const [place, record] of scope.records) {
    if (record.text !== undefined) continue;
    const bytes = readIfExists(layout.recordFile(record.category, record.key));
    const view = bytes && decodeView(bytes);
    if (view && view.revision === record.revision) continue;
    const found = rebuilt(scope, record);
    if (found && found !== 'gone') scope.records.set(place, { ...record, ...found });
  }
  return [...scope.records.values()].some(({ text }) => text !== undefined);
}

/** The files of a task that do not show what its log says. One that is missing or old is made again in passing. */
export function damagedViews(layout: Layout, scope: Scope): string[] {
  const found: string[] = [];
  for (const { category, key, revision, text } of scope.records.values()) {
    if (text === null) continue;
    const path = layout.recordFile(category, key);
    const bytes = readIfExists(path);
    const view = bytes && decodeView(bytes);
    const isAnother = view?.revision === revision && text !== undefined && view.text !== text;
    if (bytes && (!view || isAnother)) found.push(path);
  }
  return found;
}

/** Writes the view of one record outside tasks, right after its commit. */
export function writeView(layout: Layout, record: RecordState): void {
  const path = layout.recordFile(record.category, record.key);
  if (typeof record.text !== 'string') removeView(layout, path);
  else {
    ensureDirBelow(layout.root, dirname(path));
    placeFileUnsynced(path, encodeView({ ...record, text: record.text }));
  }
}

/** The same, durably: every view that the log still holds is on disk when this returns. */
export function syncViews(layout: Layout, scope: Scope): void {
  const dirs = new Set<string>();
  for (const record of scope.records.values()) {
    const path = layout.recordFile(record.category, record.key);
    if (record.text === undefined) continue;
    if (record.text === null) removeView(layout, path);
    else {
      ensureDirBelow(layout.root, dirname(path));
      placeFile(path, encodeView({ ...record, text: record.text }), true);
    }
    if (io.lstat(dirname(path))) dirs.add(dirname(path));
  }
  for (const dir of dirs) syncDir(dir);
}

/** Notes how long the log of the records outside tasks is, so that a later loss of its end is noticed. */
export function writeSharedIndex(layout: Layout, scope: Scope): void {
  if (scope.synced && !scope.damage) {
    placeFileUnsynced(layout.sharedIndex, encodeIndex({ ...indexOf(scope), records: {} }));
  }
}

function indexOf(scope: Scope): Parameters<typeof encodeIndex>[0] {
  const records: Record<string, number> = {};
  for (const { key, revision } of scope.records.values()) records[key] = revision;
  return { log: scope.logId, start: scope.start, end: scope.end, previous: scope.previousSum, records };
}

/** A record as the log has it: what a torn or lost view is made from again. */
function rebuilt(scope: Scope, record: RecordState): View | 'gone' | null {
  const file = openIfExists(scope.path);
  if (!file) return 'gone'; // The task was removed in the meantime.
  try {
    return inOwnLine(file, scope, record) ?? newestIn(scanForward(file, 0, NO_SUM), record);
  } finally {
    io.close(file);
  }
}

/** A revision is the number of the line that wrote it, except where compacting or repairing has copied the record. */
function inOwnLine(file: io.OpenFile, { end }: Scope, record: RecordState): View | null {
  const before = frameBefore(file, end, ({ number }) => number < record.revision);
  const frames = scanForward(file, before?.end ?? 0, before?.frame.sum ?? NO_SUM, end);
  try {
    for (const found of frames)
      if (found.frame.number >= record.revision)
        return found.frame.number === record.revision ? newestIn([found], record) : null;
  } catch (error) {
    if (!(error instanceof CorruptError)) throw error;
  }
  return null;
}

function newestIn(frames: Iterable<LogFrame>, { category, key }: RecordState): View | null {
  let newest: View | null = null;
  for (const { frame } of frames)
    for (const found of recordsOf(frame))
      if (found.category === category && found.key === key)
        newest = found.text === null ? null : { ...found, text: found.text };
  return newest;
}

function fail(path: string): never {
  throw damaged(path, 0, phrase`neither the file nor the log has an intact copy of the record`);
}
