/** Everything about one task, gathered from the store. What cannot be read is reported instead of thrown. */

import type { CheckpointRecord } from '../../checkpoint/record/record.ts';
import { answering, CorruptError, isDamage } from '../../errors.ts';
import type { Storage } from '../../storage/contract.ts';
import type { TaskState } from '../../task/state.ts';
import { isFinal } from '../../task/status.ts';
import { readHistory, type TaskHistory } from '../history/history.ts';
import { type AskedWait, openWaits } from '../lifecycle/waits.ts';
import { canRedo } from '../recovery/redo.ts';
import { TaskCheckpoints } from '../recovery/stored-checkpoints.ts';
import { stillRunning } from '../run/still-running.ts';
import { readMemory } from '../task/journal.ts';
import { loadCleaned } from '../task/records/cleaned.ts';
import { loadUnfinished, verbOf } from '../task/records/rollback-in-progress.ts';
import { requireTask, type StoredTask } from '../task/tasks.ts';
import { type AboutTask, readAbout } from './about.ts';
import { briefHistory, briefWaits } from './brief.ts';
import { type ChangedFiles, changedByItself, changedFiles } from './changed-files.ts';
import { type RowSource, rowOf, type TaskRow } from './row.ts';

export interface TaskView {
  readonly row: TaskRow;
  readonly state: TaskState;
  readonly input: unknown;
  readonly working_dir: string;
  /** The checkpoint it was forked from. */
  readonly forked_from: string | null;
  /** Null where the journal is damaged. */
  readonly history: TaskHistory | null;
  readonly waits: readonly AskedWait[];
  readonly checkpoints: readonly CheckpointRecord[];
  readonly files: ChangedFiles | null;
  /** It has changes to files of its own, which can be undone. */
  readonly can_undo: boolean;
  /** The verb that finishes an interrupted change of its files. */
  readonly unfinished: 'undo' | 'redo' | 'resume' | 'finish' | null;
  /** A rollback can be undone. */
  readonly can_redo: boolean;
  /** Commands of it that outlived its process. */
  readonly processes: readonly number[];
  readonly problems: readonly string[];
  /** Its runs, its forks, what was rolled back last; null where the journal is damaged. */
  readonly about: AboutTask | null;
}

export interface ViewOptions {
  /** Without steps, the contexts of checkpoints and the files of a long journal: quick also for that one. */
  readonly brief?: boolean;
}

export async function viewTask(
  source: RowSource,
  id: string,
  { brief = false }: ViewOptions = {},
): Promise<TaskView> {
  const { storage, now } = source;
  const { failed_days } = source.config.cleanup;
  const problems: string[] = [];
  const readable = async <T>(read: () => Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof CorruptError)) throw error;
      if (!problems.includes(error.message)) problems.push(error.message);
      return otherwise;
    }
  };
  const { head, state } = await requireTask(storage, id);
  const about = await readable(() => readAbout(storage, id), null);
  if (brief && about) return viewBriefly(source, { head, state }, about);
  const { checkpoints, damaged } = await new TaskCheckpoints(storage).surveyCheckpoints(id);
  problems.push(...damaged.map(({ problem }) => problem));
  const inOrder = [...checkpoints].sort((a, b) => a.sequence_number - b.sequence_number);
  return {
    ...(await basicsOf(source, { head, state })),
    history: await readable(() => readHistory(storage, head, { now: now(), failed_days }), null),
    waits: await readable(() => openWaits({ storage, clock: { now } }, id), []),
    checkpoints: inOrder,
    files: await readable(() => changedFiles(storage, id), null),
    can_undo: await readable(() => canUndo(storage, id), false),
    unfinished: await readable(() => unfinishedVerb(storage, id), null),
    can_redo: await readable(() => canRedo(storage, head), false),
    processes: await readable(() => leftRunning(storage, id), []),
    problems,
    about,
  };
}

async function basicsOf(source: RowSource, { head, state }: StoredTask) {
  return {
    row: await rowOf(source, state),
    state,
    input: head.input,
    working_dir: head.working_dir,
    forked_from: head.lineage.at(-1)?.checkpoint ?? null,
  };
}

/** Up to so many rows, which files were changed is quickly read. */
const SHORT = 2_000;

/** The whole view says what is damaged. */
const unlessDamaged = answering(isDamage, null);

async function viewBriefly(
  source: RowSource,
  { head, state }: StoredTask,
  about: AboutTask,
): Promise<TaskView> {
  const { storage } = source;
  const id = head.task_id;
  return {
    ...(await basicsOf(source, { head, state })),
    history: await briefHistory(source, state, about),
    waits: isFinal(state.status) ? [] : await briefWaits(source, id, about),
    checkpoints: [],
    files: about.index.rows.length > SHORT ? null : await changedFiles(storage, id).catch(unlessDamaged),
    can_undo: about.changed_files,
    unfinished: await unfinishedVerb(storage, id),
    can_redo: await canRedo(storage, head),
    processes: about.index.open === null ? [] : await leftRunning(storage, id),
    problems: [],
    about,
  };
}

/** For a task that is not running. */
export async function leftRunning(storage: Storage, id: string): Promise<number[]> {
  const { head, state } = await requireTask(storage, id);
  if (state.status === 'completed' || (await storage.owner(id))) return [];
  return stillRunning(storage, head, await readMemory(storage, head));
}

async function canUndo(storage: Storage, task: string): Promise<boolean> {
  const own = await changedByItself(storage, task);
  const changed = (own?.changed.length ?? 0) + (own?.in_doubt.length ?? 0);
  return changed > 0 && (await loadCleaned(storage, task)).emptied_at === null;
}

async function unfinishedVerb(storage: Storage, task: string): Promise<TaskView['unfinished']> {
  const begun = await loadUnfinished(storage, task);
  if (!begun || (await storage.owner(task))) return null;
  const verb = verbOf(begun);
  return verb === 'rollback' ? 'resume' : verb === 'take' ? 'finish' : verb;
}
