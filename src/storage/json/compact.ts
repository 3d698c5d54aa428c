/** Rewriting a task's log: without what was cut and overwritten, or without what was damaged. */
import { dirname, join } from 'node:path';
import { CorruptError } from '../../errors.ts';
import {
  ensureDir,
  openIfExists,
  readIfExists,
  removeIfExists,
  replaceFile,
  syncDir,
} from '../../system/files.ts';
import { newId } from '../../system/ids.ts';
import * as io from '../../system/io.ts';
import { START } from '../chain.ts';
import type { Repair } from '../contract.ts';
import {
  encodeFrame,
  entriesOf,
  type FrameEntry,
  type FrameMeta,
  type FrameRecord,
  recordsOf,
} from './frame.ts';
import { isCut } from './journal.ts';
import type { Layout } from './layout.ts';
import { encodeHeader, gapsMember, type LogFrame, NO_SUM, scanForward } from './log.ts';
import { syncViews } from './records.ts';
import { loadScope, type Scope } from './scope.ts';
import { decodeView } from './view.ts';

/** Answers how many bytes were freed. The new log takes the old one's place in one rename. */
export function compactLog(scope: Scope): number {
  const file = openIfExists(scope.path);
  if (!file) return 0;
  try {
    const chunks = [...rewrite(file, scope)];
    const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    if (size >= scope.end) return 0;
    replaceFile(scope.path, chunks);
    return scope.end - size;
  } finally {
    io.close(file);
  }
}

/** Begins the log of the records outside tasks anew, after their views were synced. */
export function resetLog(scope: Scope): void {
  const { task, number, position, fence, gaps } = scope;
  const at = new Date().toISOString();
  replaceFile(scope.path, encodeHeader({ id: newId('l'), task, number, position, fence, gaps, at }).line);
}

/** The same for the records outside tasks: the views have what the damaged part of the log held. */
export function repairShared(layout: Layout, scope: Scope): Repair {
  const aside = join(layout.root, asideName());
  ensureDir(aside);
  replaceFile(join(aside, 'records.log'), readIfExists(scope.path)!);
  const { message } = scope.damage!;
  const revisions: number[] = [scope.number];
  for (const [place, record] of scope.records) {
    const bytes = readIfExists(layout.recordFile(record.category, record.key));
    const view = bytes && decodeView(bytes);
    if (!view || view.revision < record.revision) continue;
    scope.records.delete(place); // The view is as new or newer: it stays as it is.
    revisions.push(view.revision);
  }
  syncViews(layout, scope);
  // Frames in the damaged part had numbers too; none of them may come again.
  const lost = io.lstat(scope.path)!.size - scope.end;
  resetLog({ ...scope, number: revisions.reduce((a, b) => Math.max(a, b)) + lost });
  return { kept: START, aside, message };
}

/** Keeps what is before the damage, and everything as it was in a directory beside it. Null when there is no damage. */
export function repairLog(layout: Layout, task: string): Repair | null {
  const path = layout.taskLog(task);
  const found = findDamage(layout, task, path);
  if (!found) return null;
  const aside = join(layout.taskDir(task), asideName());
  ensureDir(aside);
  for (const name of ['journal.log', 'views.index']) {
    const bytes = readIfExists(join(dirname(path), name));
    if (bytes) replaceFile(join(aside, name), bytes);
  }
  // The index goes first: it speaks of a log that is longer than what is left.
  removeIfExists(layout.taskIndex(task));
  syncDir(dirname(path));
  replaceFile(path, goodPart(path, task, found.end));
  return { kept: loadScope(layout, task)?.position ?? START, aside, message: found.message };
}

function asideName(): string {
  return `damaged-${new Date().toISOString().replace(/[:.]/g, '-')}`;
}

function findDamage(layout: Layout, task: string, path: string): { end: number; message: string } | null {
  const file = openIfExists(path);
  let end = 0;
  try {
    if (file) for (const frame of scanForward(file, 0, NO_SUM)) end = frame.end;
    loadScope(layout, task);
    return null;
  } catch (error) {
    if (!(error instanceof CorruptError)) throw error;
    return { end, message: error.message };
  } finally {
    if (file) io.close(file);
  }
}

function goodPart(path: string, task: string, end: number): Buffer {
  const bytes = readIfExists(path)?.subarray(0, end);
  if (bytes && bytes.length > 0) return bytes;
  const at = new Date().toISOString();
  return encodeHeader({ id: newId('l'), task, number: 0, position: START, fence: 0, gaps: [], at }).line;
}

function newestRecords(frames: Iterable<LogFrame>): FrameRecord[] {
  const newest = new Map<string, FrameRecord>();
  for (const { frame } of frames) for (const record of recordsOf(frame)) newest.set(record.key, record);
  return [...newest.values()].filter(({ text }) => text !== null);
}

/** The lines of the new log: the entries that are left, then all records as they are, numbered on from the old ones. */
function* rewrite(file: io.OpenFile, scope: Scope): Generator<Buffer> {
  const { fence, gaps, task, position } = scope;
  const at = new Date().toISOString();
  const header = encodeHeader({
    id: newId('l'),
    task,
    number: scope.number,
    position: START,
    fence,
    gaps,
    at,
  });
  let { sum } = header;
  let number = scope.number;
  const line = (meta: FrameMeta, texts: string[]): Buffer => {
    const encoded = encodeFrame(++number, sum, { ...meta, ...gapsMember(gaps) }, texts);
    sum = encoded.sum;
    return encoded.line;
  };
  yield header.line;
  for (const { frame } of scanForward(file, 0, NO_SUM)) {
    const left = entriesOf(frame).filter(({ seq }) => !isCut(gaps, seq));
    for (const entries of consecutive(left)) {
      const end = entries.at(-1)!;
      const meta: FrameMeta = {
        at: frame.meta.at,
        f: frame.meta.f,
        s: end.seq,
        h: end.hash,
        e: entries.length,
      };
      if (entries.length > 1) meta.hs = entries.map(({ hash }) => hash);
      yield line(
        meta,
        entries.map(({ text }) => text),
      );
    }
  }
  const records = newestRecords(scanForward(file, 0, NO_SUM));
  const r = records.map(
    ({ category, key, revision, updated_at }) => [category, key, 1, revision, updated_at] as const,
  );
  yield line(
    { at, f: fence, s: position.seq, h: position.hash, r: r as unknown as NonNullable<FrameMeta['r']> },
    records.map(({ text }) => text!),
  );
}

/** A frame's entries have numbers without gaps. */
function consecutive(entries: readonly FrameEntry[]): FrameEntry[][] {
  const runs: FrameEntry[][] = [];
  for (const entry of entries) {
    const run = runs.at(-1);
    if (run && run.at(-1)!.seq + 1 === entry.seq) run.push(entry);
    else runs.push([entry]);
  }
  return runs;
}
