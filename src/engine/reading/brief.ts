/** A task without its steps: as quick for a long journal as for a short one, once it was read. */

import type { Storage } from '../../storage/contract.ts';
import { checkpointId } from '../../task/keys.ts';
import type { TaskState } from '../../task/state.ts';
import type { TaskHistory } from '../history/history.ts';
import { type AskedWait, asked } from '../lifecycle/waits.ts';
import type { EntryOf } from '../task/entries.ts';
import { parseEntry } from '../task/entries.ts';
import { loadVersions } from '../task/records/versions.ts';
import type { AboutTask } from './about.ts';
import type { RowSource } from './row.ts';
import { timeText } from './timeline/page.ts';
import { ROW_KINDS } from './timeline/row-of.ts';

/** What `readHistory` says, without steps and without the list of checkpoints. */
export async function briefHistory(
  { storage, now, config }: RowSource,
  state: TaskState,
  { index, runs, numbers }: AboutTask,
): Promise<TaskHistory> {
  const { task_id, task_name, status } = state;
  const start = runs[0]?.at ?? null;
  const ended = status === 'completed' || status === 'failed' || status === 'cancelled';
  const end = ended ? state.updated_at : null;
  const until = end ?? timeText(index.last);
  const { files_undone } = index.head;
  const newest = numbers.at(-1);
  return {
    execution_id: task_id,
    task_name,
    start_time: start,
    end_time: end,
    steps: [],
    checkpoints: [],
    total_duration: start === null || until === null ? 0 : Date.parse(until) - Date.parse(start),
    status: status === 'completed' ? 'success' : ended ? 'failed' : 'paused',
    task_status: status,
    error:
      status === 'failed'
        ? state.data.error_message
        : status === 'cancelled'
          ? state.data.cancel_reason
          : null,
    recovery_attempts: Math.max(0, runs.length - 1),
    last_checkpoint: newest === undefined ? null : checkpointId(task_id, newest),
    files_undone: files_undone ? [files_undone] : [],
    versions: await loadVersions(storage, task_id, { now: now(), failed_days: config.cleanup.failed_days }),
  };
}

/** The questions that are open, out of the rows that may still change. */
export async function briefWaits(
  source: Pick<RowSource, 'storage' | 'now'>,
  task: string,
  { index }: Pick<AboutTask, 'index'>,
): Promise<AskedWait[]> {
  const { rows, journals } = index;
  const found: EntryOf<'wait'>[] = [];
  for (let row = index.open ?? rows.length; row < rows.length; row++)
    if (ROW_KINDS[rows.get('kind', row)] === 'wait' && index.isOpen(row))
      found.push(
        ...(await waitAt(source.storage, journals[rows.get('journal', row)]!, rows.get('seq', row))),
      );
  return asked(source.storage, source.now(), task, found);
}

async function waitAt(storage: Storage, task: string, seq: number): Promise<EntryOf<'wait'>[]> {
  for await (const { data } of storage.read(task, { from: seq, to: seq })) {
    const entry = parseEntry(data, seq);
    return entry.t === 'wait' ? [entry] : [];
  }
  return [];
}
