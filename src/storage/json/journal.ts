/** Reading a task's journal out of its log, in either direction, a block at a time. */
import { CorruptError } from '../../errors.ts';
import { openIfExists } from '../../system/files.ts';
import * as io from '../../system/io.ts';
import type { EntryText, JournalRange } from '../backend.ts';
import { inSpans, type Span } from '../ranges.ts';
import { scanEntries } from './lines/entries.ts';
import { entriesOf } from './lines/frame.ts';
import { endOfLines, identityOf, NO_SUM, scanBackward, scanForward } from './lines/log.ts';
import { frameBefore } from './lines/seek.ts';

type Gaps = readonly Span[];

/** What the log held when reading started: entries committed later are not seen. */
interface JournalEnd {
  readonly path: string;
  /** The identity of the log, when it is known. */
  readonly logId: string | null;
  readonly end: number;
  readonly gaps: Gaps;
}

/** In parts that are read in one turn; none is empty. */
export function* readJournal(log: JournalEnd, range: JournalRange): Generator<EntryText[]> {
  const { from = 1, to = Number.MAX_SAFE_INTEGER, reverse = false, limit = Number.MAX_SAFE_INTEGER } = range;
  const file = openIfExists(log.path);
  if (!file) return;
  let part: EntryText[] = [];
  let room = PART_CHARACTERS;
  let left = limit;
  try {
    if (log.logId !== null && logIdOf(file) !== log.logId) throw new LogReplaced();
    reading: for (const entries of entriesIn(file, log, range)) {
      for (const entry of entries) {
        const { seq } = entry;
        if (left <= 0 || (reverse ? seq < from : seq > to)) break reading;
        if ((reverse ? seq > to : seq < from) || inSpans(log.gaps, seq)) continue;
        left--;
        part.push(entry);
        room -= entry.text.length;
      }
      if (room > 0) continue;
      yield part;
      [part, room] = [[], PART_CHARACTERS];
    }
  } catch (error) {
    if (part.length > 0) yield part;
    throw error;
  } finally {
    io.close(file);
  }
  if (part.length > 0) yield part;
}

const PART_CHARACTERS = 1 << 16;

/** The entries of the frames that may hold these, in the order asked for. */
function* entriesIn(
  file: io.OpenFile,
  log: JournalEnd,
  { from = 1, to, reverse = false }: JournalRange,
): Generator<readonly EntryText[]> {
  if (!reverse) {
    const { start, sum } = startBefore(file, log, from);
    yield* scanEntries(file, start, sum, log.end);
    return;
  }
  const end = to === undefined ? log.end : endOfFrameWith(file, log, to);
  for (const { frame } of scanBackward(file, end)) if (frame.meta.e) yield entriesOf(frame).reverse();
}

/** A place close before the frame with this number, and the sum before it. */
function startBefore(file: io.OpenFile, log: JournalEnd, from: number): { start: number; sum: string } {
  const before =
    from === 1 || log.logId === null ? null : frameBefore(file, log.end, ({ seq }) => seq < from);
  return before ? { start: before.end, sum: before.frame.sum } : { start: 0, sum: NO_SUM };
}

/** Where reading backward from this number begins. */
function endOfFrameWith(file: io.OpenFile, log: JournalEnd, seq: number): number {
  try {
    const { start, sum } = startBefore(file, log, seq);
    for (const { frame, end } of scanForward(file, start, sum, log.end)) if (frame.meta.s >= seq) return end;
  } catch (error) {
    if (!(error instanceof CorruptError)) throw error; // What follows the damage is read first.
  }
  return log.end;
}

/** The log was rewritten between finding its end and reading it: try again. */
export class LogReplaced extends Error {}

function logIdOf(file: io.OpenFile): string | null {
  const first = scanForward(file, 0, NO_SUM).next();
  return first.done ? null : (identityOf(first.value.frame)?.id ?? null);
}

/** What lies behind the damage, for reading backward: it ends with the last line, whose cut ranges are the newest. */
export function endBehindDamage(path: string): JournalEnd {
  const file = openIfExists(path);
  if (!file) return { path, logId: null, end: 0, gaps: [] };
  try {
    const end = endOfLines(file);
    const last = scanBackward(file, end).next();
    return { path, logId: null, end, gaps: last.done ? [] : (last.value.frame.meta.g ?? []) };
  } finally {
    io.close(file);
  }
}

/** The cut ranges as the last frame before the damage knows them. */
export function gapsBeforeDamage(path: string): Gaps {
  const file = openIfExists(path);
  let gaps: Gaps = [];
  try {
    if (file) for (const { frame } of scanForward(file, 0, NO_SUM)) gaps = frame.meta.g ?? [];
  } catch (error) {
    if (!(error instanceof CorruptError)) throw error;
  } finally {
    if (file) io.close(file);
  }
  return gaps;
}
