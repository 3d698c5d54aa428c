/** What the engine asks of the files a task works on. The workspace answers; without one, nothing is known of files. */
import type { CheckpointRecord } from '../checkpoint/record.ts';
import type { UnknownOutcome } from './context.ts';
import type { EntryOf } from './entries.ts';

export interface WorkspaceLink {
  /** Reserves files for an agent before it starts; answers how to let them go. */
  reserve(task: string, agent: string, files: readonly string[]): Promise<() => Promise<void>>;
  /** What an operation that was cut off did to files; null when that is not known. */
  settle(task: string, begin: EntryOf<'begin'>): Promise<UnknownOutcome['files']>;
  /** What changed since the last checkpoint. */
  capture(task: string): Promise<CheckpointRecord['file_changes']>;
  /** Files that are no longer as the checkpoint left them. */
  changedSince(checkpoint: CheckpointRecord): Promise<readonly string[]>;
  filesModified(task: string): Promise<readonly string[]>;
  /** The files that `rollback` would change. */
  previewRollback?(task: string, checkpoint: CheckpointRecord): Promise<readonly string[]>;
  /** Undoes the task's own changes since the checkpoint; whatever others changed stays. */
  rollback?(task: string, checkpoint: CheckpointRecord): Promise<FilesRolledBack>;
  /** Undoes such a rollback. */
  redo?(task: string, undo: string): Promise<void>;
  /** Puts the files of a checkpoint where a fork of its task is to work. */
  fork?(checkpoint: CheckpointRecord, fork: { task: string; working_dir: string }): Promise<void>;
}

export interface FilesRolledBack {
  readonly files: readonly string[];
  /** What `redo` needs to undo it. */
  readonly undo: string;
}

export const noWorkspace: WorkspaceLink = {
  reserve: async () => async () => {},
  settle: async () => null,
  capture: async () => ({ modified: [], created: [], deleted: [] }),
  changedSince: async () => [],
  filesModified: async () => [],
};
