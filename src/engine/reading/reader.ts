/**
 * Queries about tasks without running any. Each part is loaded on demand: a list is shown before an engine would be open.
 */
import type { Config } from '../../config/types.ts';
import type { Storage } from '../../storage/contract.ts';
import type { TaskState } from '../../task/state.ts';
import type { NextCommand } from '../command/next-command.ts';
import type { Gone } from '../history/checkpoints.ts';
import type { Conflict } from '../questions/conflict.ts';
import { CONVERSATION } from '../task/records/copies.ts';
import { taskIn } from '../task/records/kind.ts';
import type { ChangedFiles } from './changed-files.ts';
import type { Comparison } from './compare.ts';
import type { ConversationPage, ConversationQuery } from './conversation.ts';
import type { DiffPoint } from './diff-points.ts';
import type { EntryView } from './entry.ts';
import type { DiffOptions, FileDiff } from './file-diff.ts';
import type { Locks } from './locks.ts';
import type { OpenQuestion } from './questions.ts';
import type { RedoView } from './redo.ts';
import type { TaskRow } from './row.ts';
import type { RowIndex, RowQuery, TaskRows } from './rows.ts';
import type { SnapshotFiles } from './snapshot-files.ts';
import type { TimelineQuery } from './timeline/page.ts';
import type { TimelineView } from './timeline/timeline.ts';
import type { TreeNode } from './tree.ts';
import type { TaskView, ViewOptions } from './view.ts';
import type { TaskBatch, WatchOptions } from './watch-task.ts';
import type { TaskChanges, WatchTasksOptions } from './watch-tasks.ts';
import type { WhatRuns } from './what-runs.ts';

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
  /** What changes in the rows of all tasks, here or in other processes. While it runs, `rows` reads nothing. */
  watchTasks(options?: WatchTasksOptions): AsyncGenerator<TaskChanges>;
  /** What is added to a task's journal, and changes in its state and its owner, here or in other processes. */
  watchTask(task: string, options?: WatchOptions): AsyncGenerator<TaskBatch>;
  /** Null where its state cannot be read. */
  row(task: string): Promise<TaskRow | null>;
  /** Everything about one task; unreadable parts are named in it. */
  view(task: string, options?: ViewOptions): Promise<TaskView>;
  /** What happened, row by row, what was rolled back among it. Read once, then only what was added since. */
  timeline(task: string, query: TimelineQuery): Promise<TimelineView>;
  /** One entry of its journal, whole, up to 1 MB. */
  entry(task: string, seq: number): Promise<EntryView>;
  /** What was said in it, from its journal. */
  said(task: string, query: ConversationQuery): Promise<ConversationPage>;
  /** A task with all that were forked from it, and from those; without one: all families. */
  tree(task: string | null): Promise<TreeNode[]>;
  /** Who runs which task, and which files are reserved for whom. */
  locks(): Promise<Locks>;

  /** What people are asked, oldest first; default: of all tasks. */
  questions(task?: string): Promise<OpenQuestion[]>;
  /** The file that a question is about, in its three versions; QUESTION_CLOSED if it is about none. */
  conflict(task: string, question: string): Promise<Conflict>;

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

  /** How far a task was at its `start`, at a checkpoint, or is `now`: then its files are captured. */
  diffPoint(id: string, task: string): Promise<DiffPoint>;
  /** What changed in files between two of them, and by whom; null where the files of one are not known. */
  diffFiles(from: DiffPoint, to: DiffPoint, options?: DiffOptions): Promise<readonly FileDiff[] | null>;

  /** Two tasks side by side, since they parted. */
  compare(a: string, b: string): Promise<Comparison>;

  /** Those that are saved: by name, and for auto-saved ones the task. */
  conversations(): Promise<{ readonly id: string; readonly task: string | null }[]>;
  conversation(name: string): Promise<unknown>;

  /** What a command's task would run next; `again`: from its beginning. */
  nextCommand(task: string, options?: { readonly again?: boolean }): Promise<NextCommand | null>;
  /** The command or file that resuming it runs; null if that is not known. */
  whatRuns(task: string, options?: { readonly again?: boolean }): Promise<WhatRuns | null>;
  /** Commands of the task that outlived its process. */
  leftRunning(task: string): Promise<number[]>;
  /** What a redo would do. */
  redoable(task: string): Promise<RedoView>;
  /** Tasks whose files a process was changing back when it ended; newest first. Default: among all. */
  unfinished(among?: readonly string[]): Promise<string[]>;
}

interface ReaderSource {
  readonly storage: Storage;
  readonly config: Config;
  readonly project_dir: string;
  readonly now: () => Date;
  /** Captures the files of a task as they are; null where they are not captured here. */
  readonly filesNow?: (task: string) => Promise<string | null>;
}

export function openReader(source: ReaderSource): Reader {
  const { storage, config, project_dir, now } = source;
  let index: RowIndex | null = null;
  const state: Reader['state'] = async (task) =>
    (await import('../task/tasks.ts')).readableState(storage, task);
  const checkpoint = async (id: string) =>
    (await import('../history/checkpoints.ts')).requireCheckpoint(storage, id);
  return {
    ids: async () => Array.fromAsync((await import('../../storage/walk.ts')).everyTask(storage)),
    state,
    requireState: async (task) => (await (await import('../task/tasks.ts')).requireTask(storage, task)).state,
    holder: async (task) => (await storage.owner(task))?.holder ?? null,
    rows: async (query) => (await import('./rows.ts')).taskRows(source, query, index),
    async *watchTasks(options = {}) {
      const { watchTasks } = await import('./watch-tasks.ts');
      const publish = (now: RowIndex | null): void => {
        index = now;
      };
      yield* watchTasks(source, { publish, ...options });
    },
    async *watchTask(task, options) {
      yield* (await import('./watch-task.ts')).watchTask(storage, task, options);
    },
    row: async (task) => {
      const found = await state(task);
      return found && (await import('./row.ts')).rowOf(source, found);
    },
    view: async (task, options) => (await import('./view.ts')).viewTask(source, task, options),
    timeline: async (task, query) =>
      (await import('./timeline/timeline.ts')).readTimeline(storage, task, query),
    entry: async (task, seq) => (await import('./entry.ts')).readEntry(storage, task, seq),
    said: async (task, query) => (await import('./conversation.ts')).readConversation(storage, task, query),
    tree: async (task) => (await import('./tree.ts')).readTree(source, task),
    locks: async () => (await import('./locks.ts')).readLocks(storage, project_dir, now()),
    questions: async (task) => (await import('./questions.ts')).openQuestions(source, task, index),
    conflict: async (task, question) =>
      (await import('../questions/answering.ts')).conflictAsked(storage, task, question),
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
    diffPoint: async (id, task) =>
      (await import('./diff-points.ts')).diffPoint(storage, id, task, source.filesNow ?? (async () => null)),
    diffFiles: async (from, to, options) =>
      (await import('./file-diff.ts')).diffBetween(source, from, to, options),
    compare: async (a, b) => (await import('./compare.ts')).compareTasks(source, a, b),
    conversations: async () =>
      (await storage.list(CONVERSATION.category)).map((id) => ({ id, task: taskIn(CONVERSATION, id) })),
    conversation: (name) => storage.load(CONVERSATION.category, name),
    nextCommand: async (task, options) =>
      (await import('../command/next-command.ts')).nextCommand(storage, task, config, options),
    whatRuns: async (task, options) =>
      (await import('./what-runs.ts')).whatRuns(storage, task, config, options),
    leftRunning: async (task) => (await import('./view.ts')).leftRunning(storage, task),
    redoable: async (task) => (await import('./redo.ts')).readRedoable(storage, task),
    unfinished: async (among) => (await import('./unfinished.ts')).readUnfinished(storage, among),
  };
}
