/**
 * The timeline of a task in memory: fed with its journal, what was rolled back among it, and later with what is added to it.
 * About 100 bytes a row. Pure.
 */
import { timeOf } from '../../history/marks.ts';
import { createPasts } from '../../history/pasts.ts';
import { createRunRecords, type RunEvent, type RunRecord } from '../../history/run-records.ts';
import { WHY_KINDS } from '../../history/why.ts';
import type { EntryOf } from '../../task/entries.ts';
import type { LiveEntry } from '../../task/journal.ts';
import { type Head, isDead } from '../../task/records/head.ts';
import { type Columns, columns, type Texts, texts } from './columns.ts';
import { deadOf, sameDead } from './dead.ts';
import { createEvents, type Events } from './events.ts';
import { isOperation, isShown, type NewRow, ROW_KINDS, ROW_STATUSES, rowOf } from './row-of.ts';
import { createSaid, type Said } from './said.ts';

const ROWS = {
  /** The entry it began with, and the last one about it. */
  first: 'u32',
  seq: 'u32',
  /** The number of the journal that they are in. */
  journal: 'u16',
  at: 'f64',
  /** NaN: null. */
  ms: 'f32',
  kind: 'u8',
  status: 'u8',
  why: 'u8',
  /** The run that died, where that is why. */
  run: 'u16',
  attempt: 'u16',
  agent: 'u16',
  /** One more than there are; 0: some. */
  files: 'u16',
  dead: 'u8',
  /** For how long nothing had happened before it. */
  idle: 'f32',
  /** Where its id, name, text and the error of the attempt before are. */
  text: 'u32',
} as const;

interface Lane {
  /** `''` for the task itself. */
  readonly agent: string;
  rows: number;
  from: number;
  to: number;
}

/** A rollback: what came after entry `to`, and before entry `seq`. */
interface Stretch {
  readonly to: number;
  readonly seq: number;
  redone: boolean;
}

export interface TimelineIndex {
  readonly head: Head;
  readonly rows: Columns<typeof ROWS>;
  readonly texts: Texts;
  readonly lanes: readonly Lane[];
  /** The task's own journal is the last. */
  readonly journals: readonly string[];
  readonly events: Events;
  /** Which entries are its conversation. */
  readonly said: Said;
  readonly stretches: readonly Stretch[];
  readonly runs: readonly RunRecord[];
  /** The time of the first entry, and the last anything happened. */
  readonly began: number | null;
  readonly last: number | null;
  /** The first row that may still change. */
  readonly open: number | null;
  isOpen(row: number): boolean;
  /** The last entry of the task's own journal that it was fed with. */
  readonly position: { readonly seq: number; readonly hash: string };
  /** The next entries, with the head as it is after them, or later. */
  feed(head: Head, entries: readonly LiveEntry[]): void;
  bytes(): number;
}

export function createTimelineIndex(first: Head, elsewhere?: ReadonlySet<string>): TimelineIndex {
  const rows = columns(ROWS);
  const words = texts();
  const lanes: Lane[] = [];
  const laneOf = new Map<string, number>();
  const journals = [...first.lineage.map(({ task }) => task), first.task_id];
  const own = journals.length - 1;
  const stretches: Stretch[] = [];
  const runs = createRunRecords(first);
  const pasts = createPasts(elsewhere);
  /** Rows that may still end: operations and waits by their ids. */
  const open = new Map<string, number>();
  /** Those whose end became unknown: the agent may tell it after all. */
  const unknown = new Map<string, number>();
  let head = first;
  let position = { seq: 0, hash: '' };
  let began: number | null = null;
  let last: number | null = null;
  /** Of what has ended. */
  let busyUntil = Number.NaN;

  const said = createSaid();
  const events = createEvents(words, () => rows.length - 1);

  const laneFor = (agent: string, at: number): number => {
    let lane = laneOf.get(agent);
    if (lane === undefined) {
      lane = lanes.push({ agent, rows: 0, from: at, to: at }) - 1;
      laneOf.set(agent, lane);
    }
    return lane;
  };

  const worked = (lane: number, at: number, until: number): void => {
    const known = lanes[lane]!;
    known.from = Math.min(known.from, at);
    known.to = Math.max(known.to, until);
    if (last === null || until > last) last = until;
  };

  const addRow = (
    row: NewRow,
    place: { journal: number; seq: number },
    before: ReturnType<typeof pasts.take>,
  ): number => {
    const idles = row.kind === 'wait' || row.kind === 'sleep';
    const until = idles ? row.at : row.at + (row.ms ?? 0);
    // What is in progress is no idleness, unless its process has died.
    const quiet = openWork(open, rows) === 0 || row.kind === 'recovery';
    const idle = quiet && row.at > busyUntil ? row.at - busyUntil : 0;
    busyUntil = Number.isNaN(busyUntil) ? until : Math.max(busyUntil, until);
    const agent = laneFor(row.agent, row.at);
    lanes[agent]!.rows++;
    worked(agent, row.at, until);
    const error = before.kind === 'retry' ? (before.error ?? '') : '';
    return rows.add({
      first: place.seq,
      seq: place.seq,
      journal: place.journal,
      at: row.at,
      ms: row.ms ?? Number.NaN,
      kind: ROW_KINDS.indexOf(row.kind),
      status: ROW_STATUSES.indexOf(row.status),
      why: WHY_KINDS.indexOf(before.kind),
      run: before.kind === 'cut_off' ? before.run : 0,
      attempt: Math.min(row.attempt, 65_535),
      agent,
      files: row.files === null ? 0 : Math.min(row.files, 65_534) + 1,
      dead: isDead(deadOf(head, place.journal), place.seq) ? 1 : 0,
      idle,
      text: words.add([row.id, row.name, row.text, error]),
    });
  };

  /** An operation or a wait has ended: its row says how. */
  const endRow = (at: number, end: NewRow, seq: number): void => {
    const [id = '', name = '', subject = '', error = ''] = words.at(rows.get('text', at));
    const kept = end.status === 'success' && subject !== '' && ROW_KINDS[rows.get('kind', at)] !== 'step';
    const from = rows.get('at', at);
    const ms = end.ms ?? Math.max(0, end.at - from);
    rows.set('seq', at, seq);
    // A rollback may go back to between its begin and its end.
    rows.set('dead', at, isDead(deadOf(head, rows.get('journal', at)), seq) ? 1 : 0);
    rows.set('ms', at, ms);
    rows.set('status', at, ROW_STATUSES.indexOf(end.status));
    if (end.files === 0) rows.set('files', at, 1);
    const text = kept ? subject : end.text;
    if (text !== subject) rows.set('text', at, words.add([id, name, text, error]));
    if (ROW_KINDS[rows.get('kind', at)] !== 'wait') {
      busyUntil = Math.max(busyUntil, from + ms);
      worked(rows.get('agent', at), from, from + ms);
    }
  };

  const takeOperation = (
    entry: EntryOf<'begin' | 'step' | 'failure' | 'skip'>,
    row: NewRow,
    place: { journal: number; seq: number },
    before: ReturnType<typeof pasts.take>,
  ): void => {
    const { id } = entry;
    if (entry.t === 'begin') {
      open.set(id, addRow(row, place, before));
      return;
    }
    const known = open.get(id) ?? unknown.get(id);
    open.delete(id);
    unknown.delete(id);
    if (known !== undefined) endRow(known, row, place.seq);
    const at = known ?? addRow(row, place, before);
    if (row.status === 'unknown') unknown.set(id, at);
  };

  /** What was in progress when a run ended will not end any more. */
  const cutOff = (): string[] => {
    const names: string[] = [];
    for (const [id, at] of open) {
      if (ROW_KINDS[rows.get('kind', at)] === 'wait') continue;
      rows.set('status', at, ROW_STATUSES.indexOf('unknown'));
      names.push(words.at(rows.get('text', at))[1] ?? '');
      open.delete(id);
      unknown.set(id, at);
    }
    return names;
  };

  const take = ({ task, seq, hash, entry }: LiveEntry): void => {
    const journal = journals.indexOf(task);
    const place = { journal, seq };
    const at = Date.parse(entry.at);
    began ??= at;
    const run = runs.take(entry, seq);
    const before = pasts.take(entry, run);
    if (entry.t === 'recovery') events.recovery(entry, place, died(run), cutOff());
    const row = isShown(entry, run, runs.moved) ? rowOf(entry) : null;
    if (row && isOperation(entry)) takeOperation(entry, row, place, before);
    else if (row) {
      if (entry.t === 'answer') {
        const asked = open.get(entry.id);
        open.delete(entry.id);
        if (asked !== undefined) endRow(asked, { ...row, text: '', files: 0 }, rows.get('seq', asked));
      }
      const added = addRow(row, place, before);
      if (entry.t === 'wait') open.set(entry.id, added);
    } else if (last === null || at > last) last = at;
    if (entry.t === 'rollback' && journal === own) stretches.push({ to: entry.to, seq, redone: false });
    if (entry.t === 'redo') for (const one of stretches) if (one.seq === entry.rollback) one.redone = true;
    said.take(entry, place);
    events.take(entry, place, { row, run, at: entry.mark ? Date.parse(timeOf(entry)) : at });
    if (isDead(deadOf(head, journal), seq) && 'id' in entry) pasts.undo(entry.id);
    if (journal === own) position = { seq, hash };
  };

  /** A rollback or a redo has changed what counts. */
  const mark = (now: Head): void => {
    const isSame = sameDead(head, now);
    head = now;
    if (isSame) return;
    for (let at = 0; at < rows.length; at++) {
      const dead = isDead(deadOf(now, rows.get('journal', at)), rows.get('seq', at)) ? 1 : 0;
      if (dead === rows.get('dead', at)) continue;
      rows.set('dead', at, dead);
      const [id = ''] = words.at(rows.get('text', at));
      if (id !== '') (dead ? pasts.undo : pasts.redo)(id);
      if (dead && open.get(id) === at) open.delete(id);
    }
  };

  return {
    get head() {
      return head;
    },
    rows,
    texts: words,
    lanes,
    journals,
    events,
    said,
    stretches,
    get runs() {
      return runs.all;
    },
    get began() {
      return began;
    },
    get last() {
      return last;
    },
    get open() {
      return open.size === 0 ? null : Math.min(...open.values());
    },
    isOpen: (row) => open.values().some((one) => one === row),
    get position() {
      return position;
    },
    feed(now, entries) {
      mark(now);
      for (const one of entries) take(one);
    },
    bytes: () => rows.bytes() + words.bytes() + events.bytes() + said.entries.bytes(),
  };
}

function died(run: RunEvent | null): boolean {
  return run?.kind === 'began' && run.after === 'killed';
}

/** Operations in progress, without waits. */
function openWork(open: ReadonlyMap<string, number>, rows: Columns<typeof ROWS>): number {
  let count = 0;
  for (const at of open.values()) if (rows.get('kind', at) !== WAIT) count++;
  return count;
}
const WAIT = ROW_KINDS.indexOf('wait');
