/** Reading a task's journal out of its log, in either direction, a block at a time. */
import { CorruptError } from '../../errors.ts';
import { openIfExists } from '../../system/files.ts';
import * as io from '../../system/io.ts';
import type { EntryText, JournalRange } from '../backend.ts';
import { inSpans, type Span } from '../ranges.ts';
import { entriesOf } from './frame.ts';
import { identityOf, type LogFrame, NO_SUM, scanBackward, scanForward } from './log.ts';

type Gaps = readonly Span[];

/** What the log held when reading started: entries committed later are not seen. */
export interface JournalEnd {
  readonly path: string;
  /** The identity of the log, when it is known. */
  readonly logId: string | null;
  readonly end: number;
  readonly gaps: Gaps;
}

/** In parts that are read in one turn; none is empty. */
export function* readJournal(log: JournalEnd, range: JournalRange): Generator<EntryText[]> {
  let part: EntryText[] = [];
  let room = PART_CHARACTERS;
  try {
    for (const entry of entriesIn(log, range)) {
      part.push(entry);
      room -= entry.text.length;
      if (room > 0) continue;
      yield part;
      [part, room] = [[], PART_CHARACTERS];
    }
  } catch (error) {
    if (part.length > 0) yield part;
    throw error;
  }
  if (part.length > 0) yield part;
}

const PART_CHARACTERS = 1 << 16;

function* entriesIn(log: JournalEnd, range: JournalRange): Generator<EntryText> {
  const { from = 1, to = Number.MAX_SAFE_INTEGER, reverse = false, limit = Number.MAX_SAFE_INTEGER } = range;
  const file = openIfExists(log.path);
  if (!file) return;
  let left = limit;
  try {
    if (log.logId !== null && logIdOf(file) !== log.logId) throw new LogReplaced();
    const frames = reverse ? scanBackward(file, log.end) : upTo(scanForward(file, 0, NO_SUM), log.end);
    for (const { frame } of frames) {
      if (left <= 0) return;
      const { s, e = 0 } = frame.meta;
      if (reverse ? s < from : s - e + 1 > to) return;
      if (e === 0 || s < from || s - e + 1 > to) continue;
      const entries = entriesOf(frame);
      for (const entry of reverse ? entries.reverse() : entries) {
        const { seq } = entry;
        if (seq < from || seq > to || inSpans(log.gaps, seq)) continue;
        if (left-- <= 0) return;
        yield entry;
      }
    }
  } finally {
    io.close(file);
  }
}

/** The log was rewritten between finding its end and reading it: try again. */
export class LogReplaced extends Error {}

function logIdOf(file: io.OpenFile): string | null {
  const first = scanForward(file, 0, NO_SUM).next();
  return first.done ? null : (identityOf(first.value.frame)?.id ?? null);
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

function* upTo(frames: Iterable<LogFrame>, end: number): Generator<LogFrame> {
  for (const found of frames) {
    if (found.start >= end) return;
    yield found;
  }
}
