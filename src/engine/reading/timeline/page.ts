/** Part of a timeline, as it is shown: costs what it returns. Pure. */

import { WHY_KINDS, type Why, whyAgain } from '../../history/why.ts';
import type { Cleaned } from '../../task/records/cleaned.ts';
import { type Axis, axisOf, type Bin, binsOf, type Gap } from './axis.ts';
import { MARK_KINDS, type MarkColumns, type MarkKind, pointId } from './events.ts';
import type { TimelineIndex } from './index.ts';
import { checkpointBefore, isThere } from './points.ts';
import { ROW_KINDS, ROW_STATUSES, type RowKind, type RowStatus } from './row-of.ts';

export interface TimelineRow {
  readonly row: number;
  readonly seq: number;
  readonly kind: RowKind;
  readonly id: string;
  readonly name: string;
  readonly agent: string | null;
  readonly at: string;
  readonly ms: number | null;
  readonly attempt: number;
  readonly status: RowStatus;
  /** Null if it ran for the first time. */
  readonly why: Why | null;
  /** How many files it changed; null: some, and how many was not recorded. */
  readonly files: number | null;
  readonly text: string | null;
  /** The nearest one at or before it that the task can be rolled back to. */
  readonly checkpoint: string | null;
  readonly dead: boolean;
  /** The task in whose journal it is, if this one was forked from it. */
  readonly task: string | null;
}

export interface TimelineMark {
  readonly kind: MarkKind;
  readonly seq: number;
  readonly row: number;
  readonly at: string;
  /** Of the wait, the checkpoint or the status. */
  readonly id: string | null;
  readonly text: string | null;
  /** The other task of a fork. */
  readonly task: string | null;
}

export interface TimelinePage {
  /** Rows in all, and those that the filters let through. */
  readonly total: number;
  readonly matching: number;
  /** The first row that may still change; null: none. */
  readonly open: number | null;
  readonly started_at: string | null;
  readonly last_at: string | null;
  readonly rows: readonly TimelineRow[];
  readonly lanes: readonly {
    readonly agent: string | null;
    readonly name: string;
    readonly rows: number;
    readonly from: string;
    readonly to: string;
  }[];
  readonly marks: readonly TimelineMark[];
  readonly gaps: readonly Gap[];
  readonly dead: readonly {
    readonly from_row: number;
    readonly to_row: number;
    /** The entry of the checkpoint that was gone back to. */
    readonly after_seq: number;
    readonly rollback_seq: number;
    readonly redone: boolean;
  }[];
  readonly bins: readonly Bin[];
}

export interface TimelineQuery {
  /** The first row; default: so that the newest are returned. */
  readonly from?: number | undefined;
  readonly limit: number;
  /** All of it in about so many parts; then the marks and gaps are those of all of it, too. */
  readonly bins?: number | undefined;
  /** Null: the task itself. */
  readonly agent?: string | null | undefined;
  readonly failed?: boolean | undefined;
}

/** `died`: nobody runs the task any more, so how its open operations ended is not known. */
export function pageOf(
  index: TimelineIndex,
  cleaned: Cleaned,
  query: TimelineQuery,
  died: boolean,
): TimelinePage {
  const { rows } = index;
  const statusOf = (row: number): RowStatus => {
    const status = ROW_STATUSES[rows.get('status', row)]!;
    const isCutOff = died && status === 'pending' && ROW_KINDS[rows.get('kind', row)] !== 'wait';
    return isCutOff && index.isOpen(row) ? 'unknown' : status;
  };
  const found = select(index, query, statusOf);
  const axis = axisOf(index);
  const shown = found.rows.map((row) => ({ ...rowAt(index, cleaned, row), status: statusOf(row) }));
  const whole = query.bins !== undefined || found.rows.length === rows.length;
  const range = whole
    ? { from: 0, to: rows.length }
    : { from: found.rows[0] ?? 0, to: (found.rows.at(-1) ?? -1) + 1 };
  const bins = query.bins === undefined ? [] : binsOf(index, axis, query.bins);
  // As many marks as were asked for parts have room one by one, however close their times are.
  const thinned = (marks: MarkColumns) =>
    marksIn(index, marks, range, cleaned, marks.length > (query.bins ?? 0) ? bins : []);
  const marks = [...thinned(index.events.checkpoints), ...thinned(index.events.others)];
  return {
    total: rows.length,
    matching: found.matching,
    open: index.open,
    started_at: timeText(index.began),
    last_at: timeText(index.last),
    rows: shown,
    lanes: index.lanes.map(({ agent, rows, from, to }) => ({
      agent: agent === '' ? null : agent,
      name: laneName(agent),
      rows,
      from: timeText(from)!,
      to: timeText(to)!,
    })),
    marks: marks.sort((a, b) => a.row - b.row || a.seq - b.seq),
    gaps: gapsIn(axis, range),
    dead: deadIn(index),
    bins,
  };
}

/** Which rows, by their numbers. */
function select(
  { rows, lanes }: TimelineIndex,
  { from, limit, agent, failed }: TimelineQuery,
  statusOf: (row: number) => RowStatus,
): { readonly rows: readonly number[]; readonly matching: number } {
  const all = agent === undefined && !failed;
  if (all) {
    const first = Math.min(from ?? Math.max(0, rows.length - limit), rows.length);
    const count = Math.min(limit, rows.length - first);
    return { rows: Array.from({ length: count }, (_, at) => first + at), matching: rows.length };
  }
  const lane = agent === undefined ? -1 : lanes.findIndex((one) => one.agent === (agent ?? ''));
  const matching: number[] = [];
  for (let row = 0; row < rows.length; row++) {
    if (agent !== undefined && rows.get('agent', row) !== lane) continue;
    if (failed && !WENT_WRONG.has(statusOf(row))) continue;
    matching.push(row);
  }
  const after = from === undefined ? matching : matching.filter((row) => row >= from);
  const picked = from === undefined ? after.slice(-limit || after.length) : after.slice(0, limit);
  return { rows: limit === 0 ? [] : picked, matching: matching.length };
}

const WENT_WRONG: ReadonlySet<RowStatus> = new Set(['failed', 'unknown']);

function rowAt(index: TimelineIndex, cleaned: Cleaned, row: number): Omit<TimelineRow, 'status'> {
  const { rows, texts, lanes, journals } = index;
  const [id = '', name = '', text = '', error = ''] = texts.at(rows.get('text', row));
  const { agent } = lanes[rows.get('agent', row)]!;
  const ms = rows.get('ms', row);
  const journal = rows.get('journal', row);
  const files = rows.get('files', row);
  const attempt = rows.get('attempt', row);
  return {
    row,
    seq: rows.get('seq', row),
    kind: ROW_KINDS[rows.get('kind', row)]!,
    id,
    name,
    agent: agent === '' ? null : agent,
    at: timeText(rows.get('at', row))!,
    ms: Number.isNaN(ms) ? null : Math.round(ms * 1000) / 1000,
    attempt,
    why: whyOf(WHY_KINDS[rows.get('why', row)]!, rows.get('run', row), attempt, error),
    files: files === 0 ? null : files - 1,
    text: text === '' ? null : text,
    checkpoint: checkpointBefore(index, cleaned, row),
    dead: rows.get('dead', row) === 1,
    task: journal === journals.length - 1 ? null : journals[journal]!,
  };
}

function whyOf(kind: (typeof WHY_KINDS)[number], run: number, attempt: number, error: string): Why | null {
  if (kind === 'retry') return whyAgain({ kind, attempt, error: error === '' ? null : error });
  return whyAgain(kind === 'cut_off' ? { kind, run } : { kind });
}

/** Of these rows. Where there are bins, one of a kind in each is enough. */
function marksIn(
  index: TimelineIndex,
  marks: MarkColumns,
  { from, to }: { readonly from: number; readonly to: number },
  cleaned: Cleaned,
  bins: readonly Bin[],
): TimelineMark[] {
  const found: TimelineMark[] = [];
  const taken = new Set<string>();
  let bin = 0;
  for (let at = firstFrom(marks, from); at < marks.length && marks.get('row', at) < to; at++) {
    const number = marks.get('number', at);
    if (number > 0 && !isThere(index, marks, cleaned, at)) continue;
    if (bins.length > 0) {
      while (bin < bins.length - 1 && marks.get('at', at) >= Date.parse(bins[bin + 1]!.from)) bin++;
      const key = `${bin} ${marks.get('kind', at)}`;
      if (taken.has(key)) continue;
      taken.add(key);
    }
    found.push(markAt(index, marks, at));
  }
  return found;
}

function firstFrom(marks: MarkColumns, row: number): number {
  let [low, high] = [0, marks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (marks.get('row', middle) < row) low = middle + 1;
    else high = middle;
  }
  return low;
}

function markAt({ texts, journals }: TimelineIndex, marks: MarkColumns, at: number): TimelineMark {
  const [id = '', text = '', task = ''] = texts.at(marks.get('text', at));
  const number = marks.get('number', at);
  const journal = marks.get('journal', at);
  return {
    kind: MARK_KINDS[marks.get('kind', at)]!,
    seq: marks.get('seq', at),
    row: marks.get('row', at),
    at: timeText(marks.get('at', at))!,
    id: number > 0 ? pointId(journals, journal, number) : id === '' ? null : id,
    text: text === '' ? null : text,
    task: task !== '' ? task : journal === journals.length - 1 ? null : journals[journal]!,
  };
}

function gapsIn({ gaps }: Axis, { from, to }: { from: number; to: number }): readonly Gap[] {
  return gaps.filter(({ after_row }) => after_row >= from - 1 && after_row < to);
}

/** Rows of the task's own journal are in the order of the entries that they began with. */
function deadIn({ rows, journals, stretches }: TimelineIndex): TimelinePage['dead'] {
  const own = journals.length - 1;
  const rowFrom = (seq: number): number => {
    let [low, high] = [0, rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const earlier = rows.get('journal', middle) < own || rows.get('first', middle) < seq;
      if (earlier) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return stretches.flatMap(({ to, seq, redone }) => {
    const [from_row, to_row] = [rowFrom(to + 1), rowFrom(seq) - 1];
    return from_row > to_row ? [] : [{ from_row, to_row, after_seq: to, rollback_seq: seq, redone }];
  });
}

export function timeText(time: number | null): string | null {
  return time === null || Number.isNaN(time) ? null : new Date(time).toISOString();
}

/** Its own name, as people gave it. */
function laneName(agent: string): string {
  const name = agent.slice(agent.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(name);
  } catch {
    return name; // It has a percent sign of its own.
  }
}
