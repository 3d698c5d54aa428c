/** Writing frames to a log: the commit point of the JSON store is one append and one fdatasync. */
import { dirname } from 'node:path';
import { ensureDir, readRange, replaceFile, syncDir, writeAll } from '../../system/files.ts';
import { newId } from '../../system/ids.ts';
import * as io from '../../system/io.ts';
import type { PreparedCommit } from '../backend.ts';
import { START, samePosition } from '../chain.ts';
import { isoNow } from '../clock.ts';
import type { Receipt } from '../contract.ts';
import { joinSpans } from '../ranges.ts';
import { staleJournal, staleRecord } from '../refusals.ts';
import type { Layout } from './layout.ts';
import { encodeFrame, type FrameMeta } from './lines/frame.ts';
import { encodeHeader, gapsMember, type LogFrame } from './lines/log.ts';
import { readFloor } from './root.ts';
import { applyFrame, blankScope, loadScope, type Scope } from './scope.ts';

/** A commit turned into the bytes to append, checked against the scope as it is. */
export interface Planned {
  readonly bytes: Buffer;
  readonly frame: LogFrame;
  readonly receipt: Receipt;
}

const LEAST_ROOM = 64 * 1024;
const MOST_ROOM = 128 * 1024;

/** What planning needs to know of records: their revision now (0 when absent) and where they go. */
export interface RecordFacts {
  revision(scope: Scope, category: string, key: string): number;
  location(category: string, key: string): string;
}

/** Makes the log of a task for its first commit; a commit that would be refused makes none. */
export function beginLog(layout: Layout, commit: PreparedCommit, facts: RecordFacts): Scope | null {
  const path = layout.taskLog(commit.task!);
  planCommit(blankScope(commit.task, path), commit, facts);
  createLog(path, commit.task, readFloor(layout));
  return loadScope(layout, commit.task);
}

/** Makes an empty log, durably, whose numbers begin above `floor`. */
export function createLog(path: string, task: string | null, floor = 0): void {
  ensureDir(dirname(path));
  const at = new Date().toISOString();
  const { line } = encodeHeader({
    id: newId('l'),
    task,
    number: floor,
    position: START,
    fence: 0,
    gaps: [],
    at,
  });
  replaceFile(path, line);
}

/** Whether the commit would change nothing: it is empty, or only removes records that do not exist. */
export function isIdle(scope: Scope, commit: PreparedCommit, facts: RecordFacts): boolean {
  if (commit.append && commit.append.entries.length > 0) return false;
  if (commit.blobs && commit.blobs.length > 0) return false;
  if (commit.cut && commit.cut.from <= scope.position.seq) return false;
  return commit.records.every(
    ({ category, key, text }) => text === null && facts.revision(scope, category, key) === 0,
  );
}

/** Checks a commit against the scope and encodes it; throws STALE_WRITE and changes nothing when it does not fit. */
export function planCommit(scope: Scope, commit: PreparedCommit, facts: RecordFacts): Planned {
  const { append } = commit;
  if (append && !samePosition(append.after, scope.position))
    throw staleJournal(scope.task, append.after, scope.position);
  const number = scope.number + 1;
  const entries = append?.entries ?? [];
  const end = append?.end ?? scope.position;
  const named: NonNullable<FrameMeta['r']> = [];
  const written: Receipt['records'][number][] = [];
  const texts: string[] = [];
  for (const { category, key, text, expect } of commit.records) {
    const before = facts.revision(scope, category, key);
    if (expect !== undefined && expect !== before) throw staleRecord(category, key, expect, before);
    const revision = text === null ? 0 : number;
    named.push([category, key, text === null ? 0 : 1]);
    written.push({ revision, location: facts.location(category, key), existed: before > 0 });
    if (text !== null) texts.push(text);
  }
  const blobs = commit.blobs ?? [];
  for (const { bytes } of blobs)
    texts.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'));
  for (const { text } of entries) texts.push(text);
  // Members that are not needed are left out, and the order of the others stays: `entry-line.ts` reads it.
  const fence = Math.max(commit.fence ?? 0, scope.fence);
  const meta: FrameMeta = { at: isoNow(), f: fence, s: end.seq, h: end.hash };
  if (entries.length > 0) meta.e = entries.length;
  if (entries.length > 1) meta.hs = entries.map(({ hash }) => hash);
  if (named.length > 0) meta.r = named;
  Object.assign(meta, gapsMember(addGap(scope, commit.cut)));
  if (blobs.length > 0) meta.b = blobs.map(({ id }) => id);
  const { line: bytes, sum } = encodeFrame(number, scope.sum, meta, texts);
  return {
    bytes,
    frame: {
      frame: { number, sum, meta, texts },
      start: scope.end,
      end: scope.end + bytes.length,
      previousSum: scope.sum,
    },
    receipt: { position: scope.task === null ? null : end, records: written },
  };
}

/**
 * Puts the bytes behind the last good frame; on failure truncates the log to its previous end. A log without room left gets
 * `room` bytes of zeros appended: later writes into them change neither its length nor its blocks, and sync faster.
 */
export function appendFrame(scope: Scope, file: io.OpenFile, bytes: Buffer, room = 0): void {
  if (!scope.synced) trustTail(scope, file);
  const end = scope.end + bytes.length;
  try {
    if (end <= scope.room || room === 0) writeAll(file, bytes, scope.end);
    else {
      writeAll(file, Buffer.concat([bytes], bytes.length + room), scope.end);
      scope.room = end + room;
    }
  } catch (error) {
    // If this cannot cut off what was written of it, the next append does.
    scope.synced = false;
    scope.room = 0;
    io.truncate(file, scope.end);
    throw error;
  }
}

/**
 * A small part of a long log, and what a short task takes: to give room takes as long as three commits into it. What is left of it
 * is given back.
 */
export function roomFor({ end }: Scope): number {
  return Math.min(Math.max(LEAST_ROOM, end >> 3), MOST_ROOM);
}

/** Truncates its unused room, which after a later claim belongs to that one's owner. */
export function closeLog(scope: Scope | null | undefined, file: io.OpenFile, isNewest: () => boolean): void {
  try {
    if (scope && isNewest() && scope.room > scope.end) io.truncate(file, scope.end);
  } catch {
    // Zeros after the end do no harm.
  }
  io.close(file);
}

/** Applies the planned commit to the scope, once it is on disk. */
export function applyPlanned(scope: Scope, planned: Planned): void {
  applyFrame(scope, planned.frame);
  scope.synced = true;
}

/**
 * Before appending to frames that another process wrote: cuts off a torn tail, and writes the last frame again, because if
 * its sync failed, the kernel marked its pages clean and only a new write brings them to disk.
 */
function trustTail(scope: Scope, file: io.OpenFile): void {
  if (io.stat(file).size > scope.end) {
    io.truncate(file, scope.end);
    io.fsync(file);
  }
  scope.room = 0;
  writeAll(file, readRange(file, scope.start, scope.end), scope.start);
  // A log without a commit may be a leftover of a process that died before the directories above it were synced.
  if (scope.start === 0) syncNames(dirname(file.path), scope.task === null ? 0 : 2);
  scope.synced = true;
}

/** Cuts concern existing entries. */
function addGap({ gaps, position }: Scope, cut: { from: number; to: number } | undefined): Scope['gaps'] {
  if (!cut || cut.from > position.seq) return gaps;
  return joinSpans([...gaps, [cut.from, Math.min(cut.to, position.seq)]]);
}

/** Syncs a directory and this many of its parents. */
function syncNames(dir: string, above: number): void {
  syncDir(dir);
  if (above > 0) syncNames(dirname(dir), above - 1);
}
