import { openIfExists, replaceFile } from '../../system/files.ts';
import { newId } from '../../system/ids.ts';
import * as io from '../../system/io.ts';
import { START } from '../chain.ts';
import { inSpans } from '../ranges.ts';
import type { Layout } from './layout.ts';
import {
  encodeFrame,
  entriesOf,
  type FrameEntry,
  type FrameMeta,
  type FrameRecord,
  recordsOf,
} from './lines/frame.ts';
import { encodeHeader, gapsMember, type LogFrame, NO_SUM, scanForward } from './lines/log.ts';
import { writeViews } from './records.ts';
import { loadScope, type Scope } from './scope.ts';

/**
 * Returns how many bytes were freed: of entries that were cut, unless they are `kept`, of records that were written again, of
 * blobs. The index describes the new log at once, so that a loss of its end is noticed.
 */
export function compactTask(layout: Layout, task: string, kept: 'cut entries' | null = null): number {
  const scope = loadScope(layout, task);
  const freed = scope ? compactLog(scope, kept ? [] : scope.gaps) : 0;
  const after = freed > 0 ? loadScope(layout, task) : null;
  if (after) writeViews(layout, { ...after, synced: true });
  return freed;
}

/** The new log takes the old one's place in one rename. */
function compactLog(scope: Scope, dropped: Scope['gaps']): number {
  const file = openIfExists(scope.path);
  if (!file) return 0;
  try {
    const chunks = [...rewrite(file, scope, dropped)];
    const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    if (size >= scope.end) return 0;
    replaceFile(scope.path, chunks);
    return scope.end - size;
  } finally {
    io.close(file);
  }
}

/** Starts a new log for the records outside tasks, after their views were synced. */
export function resetLog(scope: Scope): void {
  const { task, number, position, fence, gaps } = scope;
  const at = new Date().toISOString();
  replaceFile(scope.path, encodeHeader({ id: newId('l'), task, number, position, fence, gaps, at }).line);
}

function newestRecords(frames: Iterable<LogFrame>): FrameRecord[] {
  const newest = new Map<string, FrameRecord>();
  for (const { frame } of frames) for (const record of recordsOf(frame)) newest.set(record.key, record);
  return [...newest.values()].filter(({ text }) => text !== null);
}

/** The lines of the new log: the entries that are left, then all records as they are, numbered on from the old ones. */
function* rewrite(file: io.OpenFile, scope: Scope, dropped: Scope['gaps']): Generator<Buffer> {
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
    const left = entriesOf(frame).filter(({ seq }) => !inSpans(dropped, seq));
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
