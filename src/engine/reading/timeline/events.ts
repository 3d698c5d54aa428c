/** What a timeline is marked with: checkpoints, questions, kills, rollbacks, and so on. Pure. */

import { phrase } from '../../../phrase.ts';
import { checkpointId } from '../../../task/keys.ts';
import { triggerOf } from '../../history/marks.ts';
import { onOneLine, valueOnOneLine } from '../../history/one-line.ts';
import type { RunEvent } from '../../history/run-records.ts';
import type { Entry, EntryOf } from '../../task/entries.ts';
import { type Columns, columns, type Texts } from './columns.ts';
import type { NewRow } from './row-of.ts';

export const MARK_KINDS = [
  ...(['checkpoint', 'turn', 'wait', 'answer', 'kill', 'recovery'] as const),
  ...(['rollback', 'redo', 'take', 'fork', 'drift', 'pause', 'end'] as const),
] as const;
export type MarkKind = (typeof MARK_KINDS)[number];

const MARKS = {
  kind: 'u8',
  seq: 'u32',
  journal: 'u16',
  row: 'u32',
  at: 'f64',
  /** Of a checkpoint. */
  number: 'u32',
  /** Where its id, text and other task are. */
  text: 'u32',
} as const;

export type MarkColumns = Columns<typeof MARKS>;

interface EntryAt {
  readonly journal: number;
  readonly seq: number;
}

export interface Events {
  /** Those that are checkpoints, apart from all others. */
  readonly checkpoints: MarkColumns;
  readonly others: MarkColumns;
  take(
    entry: Entry,
    place: EntryAt,
    seen: { readonly row: NewRow | null; readonly run: RunEvent | null; readonly at: number },
  ): void;
  /** Before its row is added. `names`: what was in progress. */
  recovery(entry: EntryOf<'recovery'>, place: EntryAt, died: boolean, names: readonly string[]): void;
  /** When a run last wrote something; null if none did. */
  alive(): number | null;
  bytes(): number;
}

export function createEvents(words: Texts, lastRow: () => number): Events {
  const checkpoints = columns(MARKS);
  const others = columns(MARKS);
  let alive: number | null = null;
  const add = (
    to: MarkColumns,
    kind: MarkKind,
    { journal, seq }: EntryAt,
    at: number,
    [id = '', text = '', task = '']: readonly string[],
    number = 0,
  ): void => {
    const row = Math.max(0, lastRow());
    const place = words.add([id, text, task]);
    to.add({ kind: MARK_KINDS.indexOf(kind), seq, journal, row, at, number, text: place });
  };

  return {
    checkpoints,
    others,
    take(entry, place, { row, run, at }) {
      const end = 'ms' in entry && !entry.mark ? at + (entry.ms ?? 0) : at;
      // Files are changed like that when nobody runs the task.
      if (entry.t !== 'rollback' && entry.t !== 'redo' && entry.t !== 'take')
        alive = Math.max(alive ?? 0, end);
      const kind = kindOf(entry, run);
      if (kind) add(others, kind, place, row?.at ?? at, wordsOf(entry, row));
      const { mark } = entry;
      if (!mark) return;
      const { n, metadata } = mark;
      const trigger = triggerOf(entry, mark);
      const turn = trigger === 'before_turn';
      const text = turn ? (valueOnOneLine(metadata?.prompt) ?? '') : onOneLine(trigger);
      add(checkpoints, turn ? 'turn' : 'checkpoint', place, at, ['', text], n);
    },
    recovery(entry, place, died, names) {
      if (!died) return;
      const at = Date.parse(entry.at);
      const last = Math.min(alive ?? at, at);
      add(others, 'kill', { ...place, seq: place.seq - 1 }, last, ['', stoppedAt(names)]);
    },
    alive: () => alive,
    bytes: () => checkpoints.bytes() + others.bytes(),
  };
}

function kindOf(entry: Entry, run: RunEvent | null): MarkKind | null {
  switch (entry.t) {
    case 'wait':
    case 'answer':
    case 'recovery':
    case 'rollback':
    case 'redo':
    case 'take':
    case 'fork':
      return entry.t;
    case 'status':
      if (run?.kind !== 'ended') return entry.to === 'cancelled' ? 'end' : null;
      return run.how === 'paused' ? 'pause' : 'end';
    default:
      return null;
  }
}

/** Id, text, other task. */
function wordsOf(entry: Entry, row: NewRow | null): readonly string[] {
  switch (entry.t) {
    case 'wait':
    case 'answer':
      return [entry.id, row?.text ?? ''];
    case 'rollback':
      return [entry.checkpoint ?? '', entry.by ?? ''];
    case 'take':
      return ['', entry.by ?? '', entry.from];
    case 'fork':
      return [entry.checkpoint, ''];
    case 'status':
      return [entry.to, row?.text ?? ''];
    case 'recovery':
      return [entry.checkpoint ?? '', row?.text ?? ''];
    default:
      return [];
  }
}

/** What a run was doing when its process died, as far as that was recorded. */
export function stoppedAt(names: readonly string[]): string {
  const plain = names.map((name) => name.replace(/^tool:/, ''));
  return plain.length > 0 ? phrase`stopped during ${plain.join(', ')}` : '';
}

/** The id of a marked checkpoint. */
export function pointId(journals: readonly string[], journal: number, number: number): string {
  return checkpointId(journals[journal]!, number);
}
