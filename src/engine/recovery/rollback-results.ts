/** What going back and coming forward again answer. */
import type { TaskState } from '../../task/state.ts';
import type { FileNotes, PlannedFile } from '../files/workspace-link.ts';
import type { After } from '../task/survey.ts';

/** What goes when a task, its files or both are put back. */
export interface BackPreview extends After {
  readonly task: string;
  /** Null where it is no checkpoint that they are put back to. */
  readonly checkpoint: string | null;
  /** The checkpoints that leave the list, oldest first. */
  readonly checkpoints: readonly string[];
  /** The files that are put back; null when that is not asked for, or nothing is known of files. */
  readonly files: readonly string[] | null;
  /** Every file, and what would become of it; null as above, and when it is done. */
  readonly plan: readonly PlannedFile[] | null;
}

export interface BackResult extends BackPreview {
  /** False after a dry run, and where files alone were to be put back and all of them were left as they are. */
  readonly done: boolean;
  /** What is to be said of single files. */
  readonly notes: FileNotes;
}

export interface Redone {
  readonly task: string;
  /** The checkpoint the rollback had gone back to; null when it was an undo, or a retry from a step. */
  readonly checkpoint: string | null;
  readonly state: TaskState;
  /** Whether files alone had been taken back. */
  readonly files_only: boolean;
  /** What is to be said of single files; null where the rollback had changed none. */
  readonly notes: FileNotes | null;
}

/** What was begun by a process that died, and is done now. */
export type Finished =
  | { readonly verb: 'redo'; readonly result: Redone }
  | { readonly verb: 'undo' | 'rollback'; readonly result: BackResult };
