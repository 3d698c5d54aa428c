/** The list of tasks. */
import type { Storage } from '../../storage/contract.ts';
import { everyTask } from '../../storage/walk.ts';
import type { TaskState } from '../../task/state.ts';
import { STATE_TRANSITIONS, shownStatus, type TaskStatus } from '../../task/status.ts';
import { HEAD } from '../task/records/head.ts';
import { keyOf } from '../task/records/kind.ts';
import { readableState } from '../task/tasks.ts';
import { type RowFacts, type RowSource, readFacts, rowFrom, type TaskRow } from './row.ts';

export interface RowQuery {
  /** Any, where there are none. */
  readonly statuses: readonly string[];
  readonly resumable: boolean;
  /** In the name, ignoring case. */
  readonly find: string | undefined;
  readonly sort: SortOrder;
  /** All, where there is none. */
  readonly limit: number | undefined;
  /** The last task of the page before, newest first. */
  readonly after?: string | undefined;
  /** Count all tasks by their status; all of them are read for that. */
  readonly counts?: boolean;
}

export interface TaskRows {
  readonly rows: TaskRow[];
  readonly more: boolean;
  readonly counts: Readonly<Record<TaskStatus, number>> | null;
  readonly unreadable: string[];
}

const SORT_ORDERS = ['created', 'updated', 'name', 'status'] as const;
type SortOrder = (typeof SORT_ORDERS)[number];

/** Every task, kept current by those who watch them. */
export interface RowIndex {
  /** Newest first. */
  facts(): readonly RowFacts[];
  unreadable(): readonly string[];
}

/** Of all tasks in the store. Reads no more of them than it has to; none that are in an index. */
export async function taskRows(
  source: RowSource,
  query: RowQuery,
  index: RowIndex | null = null,
): Promise<TaskRows> {
  const rows: TaskRow[] = [];
  const unreadable: string[] = [...(index?.unreadable() ?? [])];
  const counts = query.counts ? noCounts() : null;
  const { after, limit = Number.POSITIVE_INFINITY } = query;
  const enough = query.sort === 'created' ? limit : Number.POSITIVE_INFINITY;
  let more = false;
  for await (const { state, facts } of index ? factsIn(index) : statesIn(source, query, unreadable)) {
    if (counts) counts[state.status] += 1;
    const isBefore = after !== undefined && query.sort === 'created' && state.task_id >= after;
    if (more || isBefore || !concerns(state, query)) continue;
    const row = rowFrom(facts ?? (await readFacts(source, state)), source);
    if ((query.resumable && !row.resumable) || !isWanted(row, query)) continue;
    more = rows.length >= enough;
    if (!more) rows.push(row);
    else if (!counts) break;
  }
  const sorted = rows.sort(ORDERS[query.sort]);
  more ||= sorted.length > limit;
  return { rows: sorted.slice(0, query.limit), more, counts, unreadable };
}

type Found = { readonly state: TaskState; readonly facts: RowFacts | null };

function* factsIn(index: RowIndex): Generator<Found> {
  for (const facts of index.facts()) yield { state: facts.state, facts };
}

async function* statesIn(
  { storage }: RowSource,
  { sort, limit, counts, after }: RowQuery,
  unreadable: string[],
): AsyncGenerator<Found> {
  const isAll = counts || limit === undefined || sort !== 'created';
  const from = isAll || after === undefined ? {} : { after };
  // One more than is shown tells whether there are more. A page of names costs reading them all on some stores.
  const atOnce = isAll ? 10_000 : Math.max(100, limit + 1);
  for await (const id of everyTask(storage, { reverse: true, limit: atOnce, ...from })) {
    const state = await readableState(storage, id);
    if (state) yield { state, facts: null };
    else if (await isTask(storage, id)) unreadable.push(id);
  }
}

function noCounts(): Record<TaskStatus, number> {
  return { queued: 0, in_progress: 0, paused: 0, waiting: 0, completed: 0, failed: 0, cancelled: 0 };
}

/** It has a head, readable or not; a task that is just being created, and an execution that no engine ran, have none. */
export async function isTask(storage: Storage, id: string): Promise<boolean> {
  const { keys } = await storage.page('tasks', { prefix: keyOf(HEAD, id), limit: 1 });
  return keys.length > 0;
}

/** By its status in the store, or by the word that the list has for it. */
function isWanted(row: TaskRow, { statuses }: RowQuery): boolean {
  return statuses.length === 0 || statuses.includes(row.status) || statuses.includes(shownStatus(row));
}

/** Whether it may be wanted: what its row would say is not known yet. */
function concerns({ status, task_name }: TaskState, { statuses, find }: RowQuery): boolean {
  const isOpen = statuses.some((one) => one === status || !Object.hasOwn(STATE_TRANSITIONS, one));
  if (statuses.length > 0 && !isOpen) return false;
  return find === undefined || task_name.toLowerCase().includes(find.toLowerCase());
}

const byAge = (a: TaskRow, b: TaskRow): number => (a.id < b.id ? 1 : -1);

const ORDERS: Readonly<Record<SortOrder, (a: TaskRow, b: TaskRow) => number>> = {
  created: byAge,
  updated: (a, b) => Date.parse(b.updated_at) - Date.parse(a.updated_at) || byAge(a, b),
  name: (a, b) => a.name.localeCompare(b.name) || byAge(a, b),
  status: (a, b) => a.status.localeCompare(b.status) || byAge(a, b),
};
