/**
 * Queries about tasks without running any. Each part is loaded on demand: a list is shown before an engine would be open.
 */
import type { Config } from '../../config/types.ts';
import type { Storage } from '../../storage/contract.ts';
import type { TaskState } from '../../task/state.ts';
import type { Gone } from '../history/checkpoints.ts';
import type { ChangedFiles } from './changed-files.ts';
import type { NextCommand } from './command.ts';
import type { Locks } from './locks.ts';
import type { RedoView } from './redo.ts';
import type { RowQuery, TaskRow, TaskRows } from './rows.ts';
import type { SnapshotFiles } from './snapshot-files.ts';
import type { TaskView } from './view.ts';

export interface Reader {
  /** Of all tasks, oldest first. */
  ids(): Promise<string[]>;
  /** Null if there is no readable one. */
  state(task: string): Promise<TaskState | null>;
  /** The same, or an error that says what is wrong with it. */
  requireState(task: string): Promise<TaskState>;
  /** Who runs it now. */
  holder(task: string): Promise<string | null>;
  rows(query: RowQuery): Promise<TaskRows>;
  /** Null where its state cannot be read. */
  row(task: string): Promise<TaskRow | null>;
  /** Everything about one task; unreadable parts are named in it. */
  view(task: string): Promise<TaskView>;
  /** Who runs which task, and which files are reserved for whom. */
  locks(): Promise<Locks>;

  /** The numbers of a task's checkpoints, in ascending order. */
  checkpointNumbers(task: string): Promise<number[]>;
  /** Whether there is one with this number, also if it is not listed; true where damage leaves that open. */
  hasCheckpoint(task: string, number: number): Promise<boolean>;
  /** Why a checkpoint that there was is not there. */
  whyGone(task: string, number: number): Promise<Gone | null>;

  /** The checkpoint before a prompt or a call of an agent, by its own id of it; null if there is none. */
  checkpointBefore(task: string, ref: string): Promise<string | null>;

  /** The files a task changed, without those of the tasks it was forked from; null if it ran without a workspace. */
  changedFiles(task: string): Promise<ChangedFiles | null>;
  /** Those it changed after a checkpoint. */
  changedAfter(checkpoint: string): Promise<ChangedFiles | null>;
  /** Whether files were captured at a checkpoint or after it. */
  knowsFiles(checkpoint: string): Promise<boolean>;
  /** The files of snapshots; `task`: says what an export withheld from it. */
  snapshotFiles(task: string | null): Promise<SnapshotFiles>;

  /** The names of those that are saved. */
  conversations(): Promise<string[]>;
  conversation(name: string): Promise<unknown>;

  /** What a command's task would run next; `again`: from its beginning. */
  nextCommand(task: string, options?: { readonly again?: boolean }): Promise<NextCommand | null>;
  /** Commands of the task that outlived its process. */
  leftRunning(task: string): Promise<number[]>;
  /** What a redo would do. */
  redoable(task: string): Promise<RedoView>;
}

export interface ReaderSource {
  readonly storage: Storage;
  readonly config: Config;
  readonly project_dir: string;
  readonly now: () => Date;
}

export function openReader(source: ReaderSource): Reader {
  const { storage, config, project_dir, now } = source;
  const state: Reader['state'] = async (task) =>
    (await import('../task/tasks.ts')).readableState(storage, task);
  const checkpoint = async (id: string) =>
    (await import('../history/checkpoints.ts')).requireCheckpoint(storage, id);
  return {
    ids: async () => Array.fromAsync((await import('../../storage/walk.ts')).everyTask(storage)),
    state,
    requireState: async (task) => (await (await import('../task/tasks.ts')).requireTask(storage, task)).state,
    holder: async (task) => (await storage.owner(task))?.holder ?? null,
    rows: async (query) => (await import('./rows.ts')).taskRows(source, query),
    row: async (task) => {
      const found = await state(task);
      return found && (await import('./rows.ts')).rowOf(source, found);
    },
    view: async (task) => (await import('./view.ts')).viewTask(source, task),
    locks: async () => (await import('./locks.ts')).readLocks(storage, project_dir, now()),
    checkpointNumbers: async (task) =>
      (await (await import('../history/checkpoints.ts')).liveCheckpoints(storage, task)).map(
        ({ sequence }) => sequence,
      ),
    hasCheckpoint: async (task, number) =>
      (await import('../history/checkpoints.ts')).hasCheckpoint(storage, task, number),
    whyGone: async (task, number) =>
      (await import('../history/checkpoints.ts')).whyGone(storage, task, number),
    checkpointBefore: async (task, ref) =>
      (await import('../history/checkpoint-before.ts')).checkpointBefore(storage, task, ref),
    changedFiles: async (task) => (await import('./changed-files.ts')).changedByItself(storage, task),
    changedAfter: async (id) =>
      (await import('./changed-files.ts')).changedAfter(storage, await checkpoint(id)),
    knowsFiles: async (id) => (await import('./changed-files.ts')).knowsFiles(storage, await checkpoint(id)),
    snapshotFiles: async (task) =>
      (await import('./snapshot-files.ts')).openSnapshotFiles(storage, project_dir, task),
    conversations: () => storage.list('conversation'),
    conversation: (name) => storage.load('conversation', name),
    nextCommand: async (task, options) =>
      (await import('./command.ts')).nextCommand(storage, task, config, options),
    leftRunning: async (task) => (await import('./view.ts')).leftRunning(storage, task),
    redoable: async (task) => (await import('./redo.ts')).readRedoable(storage, task),
  };
}
