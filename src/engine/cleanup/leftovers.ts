/**
 * Records outside tasks that nothing needs any more, after a crash or in normal operation: letters that nobody will read,
 * places in the queue of tasks that do not wait for one, copies of conversations whose journals are gone.
 */
import { StaleWriteError } from '../../errors.ts';
import type { RecordWrite, StoredRecord } from '../../storage/contract.ts';
import { encode } from '../../storage/serialize.ts';
import { isFinal, type TaskStatus } from '../../task/status.ts';
import { LAYOUT } from '../task/layout.ts';
import { type RecordKind, taskIn } from '../task/records/kind.ts';
import { isNoTask } from './members.ts';
import type { Surveyed } from './survey.ts';
import { graceIsOver, type Sweep } from './sweep.ts';

export interface Leftovers {
  readonly records: number;
  readonly bytes: number;
}

const WAITS_FOR_A_WORKER: ReadonlySet<TaskStatus> = new Set(['queued', 'in_progress', 'waiting']);

/** Whether nothing needs it, the task being as it is. */
const NEEDLESS: Readonly<
  Record<NonNullable<RecordKind['needed']>, (task: Surveyed, sweep: Sweep) => boolean>
> = {
  until_final: ({ lifecycle }) => isFinal(lifecycle.status),
  while_unfinished: ({ lifecycle }) => !WAITS_FOR_A_WORKER.has(lifecycle.status),
  until_emptied: ({ cleaned: { emptied_at } }, sweep) =>
    emptied_at !== null && graceIsOver(sweep, emptied_at),
};

type Kind = RecordKind & Required<Pick<RecordKind, 'needed'>>;

export async function removeLeftovers(sweep: Sweep, tasks: readonly Surveyed[]): Promise<Leftovers> {
  const known = new Map(tasks.map((of) => [of.task, of]));
  let sum: Leftovers = { records: 0, bytes: 0 };
  for (const kind of LAYOUT) {
    if (!hasEnd(kind)) continue;
    let after: string | null = null;
    do {
      if (sweep.stopping()) return sum;
      const query = {
        prefix: kind.key.replace(/[{*].*/, ''),
        limit: 100,
        ...(after === null ? {} : { after }),
      };
      const page = await sweep.storage.page(kind.category, query);
      const { records, bytes } = await removeFrom(sweep, kind, page.keys, known);
      sum = { records: sum.records + records, bytes: sum.bytes + bytes };
      after = page.next;
    } while (after !== null);
  }
  return sum;
}

function hasEnd(kind: RecordKind): kind is Kind {
  return kind.needed !== undefined;
}

/** Together, and only if each is still what it was: otherwise the next clean-up checks them again. */
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
    const task = taskIn(kind, key);
    const record = task && (await needless(sweep, kind, key, task, known.get(task)));
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

/** The record, if it may be removed. A record without a task is kept for the grace period: the task may just be created. */
async function needless(
  sweep: Sweep,
  kind: Kind,
  key: string,
  task: string,
  of: Surveyed | undefined,
): Promise<StoredRecord | null> {
  if (of && !NEEDLESS[kind.needed](of, sweep)) return null;
  if (!of && !(await isNoTask(sweep, task))) return null; // It cannot be read.
  const record = await sweep.storage.get(kind.category, key);
  if (!record || (kind.isOurs && !kind.isOurs(record.data, task))) return null;
  return of || graceIsOver(sweep, record.updated_at) ? record : null;
}
