/**
 * Records beside the tasks that nothing needs any more, after a crash or in the course of things: letters nobody will
 * read, places in the queue of tasks that do not wait for one, copies of conversations whose journals are gone.
 */
import { StaleWriteError } from '../../errors.ts';
import type { RecordWrite, StoredRecord } from '../../storage/contract.ts';
import { encode } from '../../storage/serialize.ts';
import { isFinal, type TaskStatus } from '../../task/status.ts';
import { isNoTask } from './members.ts';
import type { Surveyed } from './survey.ts';
import { graceIsOver, type Sweep } from './sweep.ts';

export interface Leftovers {
  readonly records: number;
  readonly bytes: number;
}

interface Kind {
  readonly category: string;
  readonly prefix?: string;
  /** The task that a key speaks of. */
  taskOf(key: string): string;
  /** Whether nothing needs it, the task being as it is. */
  isNeedless(task: Surveyed, sweep: Sweep): boolean;
  /** Whether it is what the engine puts there. */
  isOurs?(data: unknown, task: string): boolean;
}

const WAITS_FOR_A_WORKER: ReadonlySet<TaskStatus> = new Set(['queued', 'in_progress', 'waiting']);
const COPY = 'conv-auto-save-';

const KINDS: readonly Kind[] = [
  {
    category: 'inbox',
    taskOf: (key) => key.slice(0, key.indexOf('/')),
    isNeedless: ({ standing }) => isFinal(standing.status),
  },
  {
    category: 'queue',
    taskOf: (key) => key.slice(key.indexOf('/') + 1),
    isNeedless: ({ standing }) => !WAITS_FOR_A_WORKER.has(standing.status),
  },
  {
    category: 'conversation',
    prefix: COPY,
    taskOf: (key) => key.slice(COPY.length),
    isNeedless: ({ cleaned: { emptied_at } }, sweep) => emptied_at !== null && graceIsOver(sweep, emptied_at),
    isOurs: (data, task) => (data as { task_id?: unknown } | null)?.task_id === task,
  },
];

export async function removeLeftovers(sweep: Sweep, tasks: readonly Surveyed[]): Promise<Leftovers> {
  const known = new Map(tasks.map((of) => [of.task, of]));
  let sum: Leftovers = { records: 0, bytes: 0 };
  for (const kind of KINDS) {
    let after: string | null = null;
    do {
      if (sweep.stopping()) return sum;
      const query = { prefix: kind.prefix ?? '', limit: 100, ...(after === null ? {} : { after }) };
      const page = await sweep.storage.page(kind.category, query);
      const { records, bytes } = await removeFrom(sweep, kind, page.keys, known);
      sum = { records: sum.records + records, bytes: sum.bytes + bytes };
      after = page.next;
    } while (after !== null);
  }
  return sum;
}

/** Together, and only if each is still what it was: else the next clean-up sees them anew. */
async function removeFrom(
  sweep: Sweep,
  kind: Kind,
  keys: readonly string[],
  known: ReadonlyMap<string, Surveyed>,
): Promise<Leftovers> {
  const { category } = kind;
  const records: RecordWrite[] = [];
  let bytes = 0;
  for (const key of keys) {
    const record = await needless(sweep, kind, key, known.get(kind.taskOf(key)));
    if (!record) continue;
    records.push({ category, key, remove: true, expect: record.revision });
    bytes += Buffer.byteLength(encode(record.data));
    await sweep.breathe();
  }
  const nothing = { records: 0, bytes: 0 };
  if (records.length === 0) return nothing;
  try {
    if (!sweep.dry) await sweep.storage.commit({ task: null, records });
  } catch (error) {
    if (error instanceof StaleWriteError) return nothing;
    throw error;
  }
  return { records: records.length, bytes };
}

/** The record, if it may go. What speaks of no task at all is left for the grace period: it may be being made. */
async function needless(
  sweep: Sweep,
  kind: Kind,
  key: string,
  of: Surveyed | undefined,
): Promise<StoredRecord | null> {
  if (of && !kind.isNeedless(of, sweep)) return null;
  const task = kind.taskOf(key);
  if (!of && !(await isNoTask(sweep, task))) return null; // It cannot be looked at.
  const record = await sweep.storage.get(kind.category, key);
  if (!record || (kind.isOurs && !kind.isOurs(record.data, task))) return null;
  return of || graceIsOver(sweep, record.updated_at) ? record : null;
}
