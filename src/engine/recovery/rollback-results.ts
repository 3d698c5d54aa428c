/** The results of rollback, undo and redo. */
import type { TaskState } from '../../task/state.ts';
import type { FileNotes, PlannedFile } from '../files/workspace-link.ts';
import type { After } from '../history/survey.ts';

/** What is removed when a task, its files or both go back. */
export interface BackPreview extends After {
  readonly task: string;
  /** Null where it is no checkpoint that they are put back to. */
  readonly checkpoint: string | null;
  /** The removed checkpoints, oldest first, also those that are not in the list. */
  readonly checkpoints: readonly string[];
  /** The restored files; null if that is not requested, or there is no workspace. */
  readonly files: readonly string[] | null;
  /** Every file, and what would become of it; null as above, and when it is done. */
  readonly plan: readonly PlannedFile[] | null;
}

export interface BackResult extends BackPreview {
  /** False after a dry run, and if only files were to be restored and all of them were left as they are. */
  readonly done: boolean;
  /** Notes about single files. */
  readonly notes: FileNotes;
}

export interface Redone {
  readonly task: string;
  /** The checkpoint the rollback had gone back to; null when it was an undo, or a retry from a step. */
  readonly checkpoint: string | null;
  readonly state: TaskState;
  /** Whether only files had been undone. */
  readonly files_only: boolean;
  /** How many rollbacks or undos before it can be redone, too. */
  readonly more: number;
  /** Notes about single files; null if the rollback had changed none. */
  readonly notes: FileNotes | null;
}

/** What a dead process had started, and is finished now. */
export type Finished =
  | { readonly verb: 'redo'; readonly result: Redone }
  | { readonly verb: 'undo' | 'rollback'; readonly result: BackResult };
