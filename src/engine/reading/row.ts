/** A task as a list shows it: its status, who runs it, what it does, whether it can be resumed. */
import type { Config } from '../../config/types.ts';
import { CorruptError, EngineError } from '../../errors.ts';
import type { Storage } from '../../storage/contract.ts';
import { isExpired, isOutOfTime, isResumable } from '../../task/resumable.ts';
import type { TaskState } from '../../task/state.ts';
import type { TaskStatus } from '../../task/status.ts';
import { askedNow } from '../questions/asked.ts';
import { isUnreadable } from '../task/damage.ts';
import { loadHead } from '../task/records/head.ts';
import { receive } from '../task/records/inbox.ts';
import { TRACKED } from '../task/tasks.ts';

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
  /** In progress, but nobody runs it: its process died or left it. */
  readonly interrupted: boolean;
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
  /** In per cent, if it is known. */
  readonly progress: number | null;
  /** What it does now, or did when it was interrupted. */
  readonly step: string | null;
  /** The number of its last journal entry. */
  readonly position: number;
  /** What it waits for, oldest first. */
  readonly waits: readonly RowWait[];
  /** How many questions about it are open. */
  readonly questions: number;
  /** When its changes to files were last undone without changing the task, and by whom. */
  readonly files_undone: { readonly at: string; readonly by: string } | null;
}

interface RowWait {
  readonly id: string;
  readonly kind: string;
  readonly prompt: string | null;
  readonly timeout_at: string | null;
}

export interface RowSource {
  readonly storage: Storage;
  readonly config: Config;
  readonly now: () => Date;
}

/** What is read of a task for its row; the rest follows from it and from the time. */
export interface RowFacts {
  readonly state: TaskState;
  /** Who runs it, if anybody can. */
  readonly holder: string | null;
  /** What it waits for has arrived. */
  readonly answered: boolean;
  readonly waits: readonly RowWait[];
  readonly questions: number;
  readonly position: number;
  readonly head: HeadFacts;
}

export async function rowOf(source: RowSource, state: TaskState): Promise<TaskRow> {
  return rowFrom(await readFacts(source, state), source);
}

export async function readFacts(source: RowSource, state: TaskState): Promise<RowFacts> {
  const { storage } = source;
  const { task_id: id, status } = state;
  return {
    state,
    holder: STOPPED.has(status) ? ((await storage.owner(id))?.holder ?? null) : null,
    answered: status === 'waiting' && (await receive(storage, id)).some(({ kind }) => kind === 'answer'),
    waits: status === 'waiting' ? (state.data.waits ?? (await waitsOf(source, id))) : [],
    questions: STOPPED.has(status) ? (await askedNow(storage, id)).length : 0,
    position: await endOf(storage, id),
    head: await headOf(storage, id),
  };
}

export function rowFrom(facts: RowFacts, { config, now }: Pick<RowSource, 'config' | 'now'>): TaskRow {
  const { state, answered, waits, questions, position, head } = facts;
  const { task_id: id, task_name: name, status, created_at, updated_at } = state;
  const at = now();
  const failedDays = config.cleanup.failed_days;
  const ownerAlive = facts.holder !== null;
  const holder = status === 'in_progress' || status === 'waiting' ? facts.holder : null;
  const resumable =
    !ownerAlive && head.runnable && isResumable(state, { ownerAlive, answered, now: at, failedDays });
  const idle = holder === null && status === 'in_progress' && state.data.idle_since !== undefined;
  return {
    id,
    name,
    status,
    resumable,
    expired: isExpired(state, at, failedDays),
    timed_out: holder === null && isOutOfTime(state, at),
    idle,
    interrupted: status === 'in_progress' && holder === null && !idle,
    client: head.client,
    session: head.session,
    holder,
    created_at,
    updated_at,
    detail: detailOf(state),
    progress: progressOf(state),
    step: stepOf(state),
    position,
    waits,
    questions,
    files_undone: head.files_undone,
  };
}

/** Damage is not reported by a list. */
async function endOf(storage: Storage, id: string): Promise<number> {
  try {
    return (await storage.position(id)).seq;
  } catch (error) {
    if (error instanceof CorruptError) return 0;
    throw error;
  }
}

/** From the journal: states of earlier versions do not have them. */
async function waitsOf({ storage, now }: RowSource, id: string): Promise<RowWait[]> {
  const { openWaits } = await import('../lifecycle/waits.ts');
  try {
    const open = await openWaits({ storage, clock: { now } }, id);
    return open.map(({ id, kind, prompt = null, timeout_at }) => ({ id, kind, prompt, timeout_at }));
  } catch (error) {
    if (isUnreadable(error) || error instanceof EngineError) return []; // Its journal or head is damaged.
    throw error;
  }
}

interface HeadFacts extends Pick<TaskRow, 'files_undone' | 'client' | 'session'> {
  /** Its code can be known. */
  readonly runnable: boolean;
}

async function headOf(storage: Storage, id: string): Promise<HeadFacts> {
  try {
    const head = await loadHead(storage, id);
    const { files_undone, origin } = head ?? {};
    return {
      files_undone: files_undone ? { at: files_undone.at, by: files_undone.by } : null,
      client: origin?.kind === 'agent' ? String(origin.client) : null,
      session: origin?.kind === 'agent' ? String(origin.session) : null,
      runnable: head !== null && head.definition.fingerprint !== TRACKED.fingerprint,
    };
  } catch (error) {
    if (error instanceof CorruptError) return NO_HEAD; // A list does not report damage.
    throw error;
  }
}

const NO_HEAD: HeadFacts = { files_undone: null, client: null, session: null, runnable: false };

/** The program of the agent that a task is of; null where there is none. */
export async function clientOf(storage: Storage, task: string): Promise<string | null> {
  return (await headOf(storage, task)).client;
}

/** It can only be run from these, so only then is more read. */
const STOPPED: ReadonlySet<TaskStatus> = new Set(['in_progress', 'paused', 'waiting', 'failed']);

function progressOf(state: TaskState): number | null {
  switch (state.status) {
    case 'in_progress':
    case 'waiting':
      return state.data.progress || null; // None was told yet.
    case 'paused':
      return state.data.snapshot.progress || null;
    case 'completed':
      return 100;
    default:
      return null;
  }
}

/** The one that began last, of those that run at the same time. */
function stepOf(state: TaskState): string | null {
  if (state.status !== 'in_progress') return null;
  return state.data.under_way?.at(-1)?.name ?? state.data.current_step;
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
