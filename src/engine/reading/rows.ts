/** Tasks as a list shows them: its status, who runs it, whether it can be resumed. */
import type { Config } from '../../config/types.ts';
import { CorruptError } from '../../errors.ts';
import type { Storage } from '../../storage/contract.ts';
import { everyTask } from '../../storage/walk.ts';
import { isExpired, isOutOfTime } from '../../task/resumable.ts';
import type { TaskState } from '../../task/state.ts';
import type { TaskStatus } from '../../task/status.ts';
import { HEAD, loadHead } from '../task/records/head.ts';
import { keyOf } from '../task/records/kind.ts';
import { readableState } from '../task/tasks.ts';

export interface TaskRow {
  readonly id: string;
  readonly name: string;
  readonly status: TaskStatus;
  readonly resumable: boolean;
  /** It failed too long ago to be resumed. */
  readonly expired: boolean;
  /** Its wait timed out while it was not running: once resumed, it finds the wait timed out. */
  readonly timed_out: boolean;
  /** Between two turns of an agent that runs elsewhere. */
  readonly idle: boolean;
  /** The program of that agent, such as `claude`. */
  readonly client: string | null;
  /** Its own id of the session in which the task began. */
  readonly session: string | null;
  /** Who runs it now. */
  readonly holder: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  /** The step it is at, what it waits for, why it stopped. */
  readonly detail: string | null;
  /** When its changes to files were last undone without changing the task, and by whom. */
  readonly files_undone: { readonly at: string; readonly by: string } | null;
}

export interface RowQuery {
  /** Any, where there are none. */
  readonly statuses: readonly string[];
  readonly resumable: boolean;
  /** In the name, ignoring case. */
  readonly find: string | undefined;
  readonly sort: SortOrder;
  /** All, where there is none. */
  readonly limit: number | undefined;
}

export interface TaskRows {
  readonly rows: TaskRow[];
  readonly more: boolean;
  readonly unreadable: string[];
}

export const SORT_ORDERS = ['created', 'updated', 'name', 'status'] as const;
export type SortOrder = (typeof SORT_ORDERS)[number];

export interface RowSource {
  readonly storage: Storage;
  readonly config: Config;
  readonly now: () => Date;
}

/** Of all tasks in the store. Reads no more of them than it has to. */
export async function taskRows(source: RowSource, query: RowQuery): Promise<TaskRows> {
  const rows: TaskRow[] = [];
  const unreadable: string[] = [];
  const enough =
    query.sort === 'created' ? (query.limit ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
  for await (const id of everyTask(source.storage, { reverse: true, limit: 100 })) {
    const state = await readableState(source.storage, id);
    if (!state && (await isTask(source.storage, id))) unreadable.push(id);
    if (!state || !concerns(state, query)) continue;
    const row = await rowOf(source, state);
    if (query.resumable && !row.resumable) continue;
    if (rows.length === enough) return { rows, more: true, unreadable };
    rows.push(row);
  }
  const sorted = rows.sort(ORDERS[query.sort]);
  const more = sorted.length > (query.limit ?? sorted.length);
  return { rows: sorted.slice(0, query.limit), more, unreadable };
}

/** It has a head, readable or not; a task that is just being created, and an execution that no engine ran, have none. */
async function isTask(storage: Storage, id: string): Promise<boolean> {
  const { keys } = await storage.page('tasks', { prefix: keyOf(HEAD, id), limit: 1 });
  return keys.length > 0;
}

function concerns({ status, task_name }: TaskState, { statuses, find }: RowQuery): boolean {
  if (statuses.length > 0 && !statuses.includes(status)) return false;
  return find === undefined || task_name.toLowerCase().includes(find.toLowerCase());
}

const byAge = (a: TaskRow, b: TaskRow): number => (a.id < b.id ? 1 : -1);

const ORDERS: Readonly<Record<SortOrder, (a: TaskRow, b: TaskRow) => number>> = {
  created: byAge,
  updated: (a, b) => Date.parse(b.updated_at) - Date.parse(a.updated_at) || byAge(a, b),
  name: (a, b) => a.name.localeCompare(b.name) || byAge(a, b),
  status: (a, b) => a.status.localeCompare(b.status) || byAge(a, b),
};

export async function rowOf({ storage, config, now }: RowSource, state: TaskState): Promise<TaskRow> {
  const { task_id: id, task_name: name, status, created_at, updated_at } = state;
  const runs = status === 'in_progress' || status === 'waiting';
  const holder = runs ? ((await storage.owner(id))?.holder ?? null) : null;
  const resumable = STOPPED.has(status) && (await canResume({ storage, config, now }, state));
  const expired = isExpired(state, now(), config.cleanup.failed_days);
  const timed_out = holder === null && isOutOfTime(state, now());
  const idle = holder === null && state.status === 'in_progress' && state.data.idle_since !== undefined;
  const detail = detailOf(state);
  const { files_undone, client, session } = await headOf(storage, id);
  return {
    id,
    name,
    status,
    resumable,
    expired,
    timed_out,
    idle,
    client,
    session,
    holder,
    created_at,
    updated_at,
    detail,
    files_undone,
  };
}

async function headOf(
  storage: Storage,
  id: string,
): Promise<Pick<TaskRow, 'files_undone' | 'client' | 'session'>> {
  try {
    const { files_undone, origin } = (await loadHead(storage, id)) ?? {};
    return {
      files_undone: files_undone ? { at: files_undone.at, by: files_undone.by } : null,
      client: origin?.kind === 'agent' ? String(origin.client) : null,
      session: origin?.kind === 'agent' ? String(origin.session) : null,
    };
  } catch (error) {
    if (error instanceof CorruptError) return { files_undone: null, client: null, session: null }; // A list does not report damage.
    throw error;
  }
}

/** The program of the agent that a task is of; null where there is none. */
export async function clientOf(storage: Storage, task: string): Promise<string | null> {
  return (await headOf(storage, task)).client;
}

/** It can only be resumed from these, so only then is more read. */
const STOPPED: ReadonlySet<TaskStatus> = new Set(['in_progress', 'paused', 'waiting', 'failed']);

async function canResume({ storage, config, now }: RowSource, state: TaskState): Promise<boolean> {
  const { isTaskResumable } = await import('../lifecycle/stop.ts');
  return isTaskResumable({ storage, config, clock: { now } }, state);
}

function detailOf(state: TaskState): string | null {
  switch (state.status) {
    case 'in_progress':
      return state.data.current_step;
    case 'paused':
      return state.data.pause_reason;
    case 'waiting':
      return state.data.prompt_shown_to_user;
    case 'failed':
      return state.data.error_message;
    case 'cancelled':
      return state.data.cancel_reason;
    case 'queued':
    case 'completed':
      return null;
  }
}
