/** The timeline of a task: its journal as rows, and what records beside it tell. */
import { CorruptError } from '../../../errors.ts';
import type { Storage } from '../../../storage/contract.ts';
import { keysIn } from '../../../storage/walk.ts';
import type { TaskState } from '../../../task/state.ts';
import { FORK, parseShare } from '../../task/records/forks.ts';
import { readableHead } from '../../task/records/head.ts';
import { loadTracker } from '../../task/records/versions.ts';
import { requireTask } from '../../task/tasks.ts';
import { stoppedAt } from './events.ts';
import type { TimelineIndex } from './index.ts';
import { timelineOf } from './kept.ts';
import { pageOf, type TimelineMark, type TimelinePage, type TimelineQuery, timeText } from './page.ts';
import { checkpointTime } from './points.ts';
import { ROW_KINDS } from './row-of.ts';

export interface TimelineView extends TimelinePage {
  readonly task: string;
  /** The last entry of its journal. */
  readonly position: number;
  /** When it completed, failed or was cancelled. */
  readonly ended_at: string | null;
  /** Clean-up has removed its journal. */
  readonly emptied: boolean;
}

export async function readTimeline(
  storage: Storage,
  task: string,
  query: TimelineQuery,
): Promise<TimelineView> {
  const { state } = await requireTask(storage, task);
  const { index, cleaned } = await timelineOf(storage, task);
  const died = await diedNow(storage, index, state);
  const page = pageOf(index, cleaned, query, died.length > 0);
  const beside = [...(await forksOf(storage, index)), ...(await driftOf(storage, index)), ...died];
  const [first, last] = [page.rows[0]?.row ?? 0, page.rows.at(-1)?.row ?? 0];
  const whole = query.bins !== undefined || page.rows.length === page.total;
  const near = beside.filter(({ row }) => whole || (row >= first && row <= last));
  return {
    task,
    position: index.position.seq,
    ended_at: ENDED.has(state.status) ? state.updated_at : null,
    emptied: cleaned.emptied_at !== null,
    ...page,
    marks: [...page.marks, ...near].sort((a, b) => a.row - b.row || a.seq - b.seq),
  };
}

const ENDED: ReadonlySet<TaskState['status']> = new Set(['completed', 'failed', 'cancelled']);

/** Tasks that were forked from this one, where they leave it; their text is when that was done. */
async function forksOf(storage: Storage, index: TimelineIndex): Promise<TimelineMark[]> {
  const { task_id: task } = index.head;
  const found: TimelineMark[] = [];
  for (const { child, to, at, checkpoint } of await forksFrom(storage, task)) {
    const row = rowUpTo(index, to);
    const left = timeText(checkpointTime(index, to)) ?? at;
    found.push({ kind: 'fork', seq: to, row, at: left, id: checkpoint, text: at, task: child });
  }
  return found;
}

interface ForkFrom {
  readonly child: string;
  readonly checkpoint: string;
  readonly to: number;
  readonly at: string;
}

/** Those that were forked from the task itself, oldest first. */
export async function forksFrom(storage: Storage, task: string): Promise<ForkFrom[]> {
  const found: ForkFrom[] = [];
  for (const key of await keysIn(storage, FORK.category, `${task}/`)) {
    const child = key.slice(task.length + 1);
    const parent = (await readableHead(storage, child))?.lineage.at(-1);
    if (parent?.task !== task) continue; // Of a fork of a fork, or one that is just being made.
    const share = parseShare(await storage.load(FORK.category, key));
    if (share) found.push({ child, checkpoint: parent.checkpoint, to: parent.to, at: share.at });
  }
  return found.sort((a, b) => (a.at < b.at ? -1 : 1));
}

async function driftOf(storage: Storage, index: TimelineIndex): Promise<TimelineMark[]> {
  const tracker = await loadTracker(storage, index.head.task_id).catch((error: unknown) => {
    if (error instanceof CorruptError) return null; // `show` and `drift` report that.
    throw error;
  });
  return (tracker?.drift_events ?? []).map(({ detected_at, type, resolution }) => {
    const row = rowAtTime(index, Date.parse(detected_at));
    const seq = index.rows.length === 0 ? 0 : index.rows.get('seq', row);
    return { kind: 'drift', seq, row, at: detected_at, id: type, text: resolution, task: null };
  });
}

/** It is in progress, and nobody runs it. */
async function diedNow(storage: Storage, index: TimelineIndex, state: TaskState): Promise<TimelineMark[]> {
  if (state.status !== 'in_progress' || state.data.idle_since !== undefined) return [];
  if (await storage.owner(state.task_id)) return [];
  const { rows, texts, position, events } = index;
  const names: string[] = [];
  for (let row = index.open ?? rows.length; row < rows.length; row++) {
    const pending = Number.isNaN(rows.get('ms', row)) && ROW_KINDS[rows.get('kind', row)] !== 'wait';
    if (pending && index.isOpen(row)) names.push(texts.at(rows.get('text', row))[1] ?? '');
  }
  const text = stoppedAt(names);
  return [
    {
      kind: 'kill',
      seq: position.seq,
      row: Math.max(0, rows.length - 1),
      at: timeText(events.alive()) ?? state.updated_at,
      id: null,
      text: text === '' ? null : text,
      task: null,
    },
  ];
}

/** The last row that has begun by an entry of the task's own journal. */
function rowUpTo({ rows, journals }: TimelineIndex, seq: number): number {
  const own = journals.length - 1;
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows.get('journal', middle) < own || rows.get('first', middle) <= seq) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

function rowAtTime({ rows }: TimelineIndex, at: number): number {
  let row = rows.length - 1;
  while (row > 0 && rows.get('at', row) > at) row--;
  return Math.max(0, row);
}
