/** The results of rollback, undo and redo. */
import type { TaskState } from '../../task/state.ts';
import type { TaskStatus } from '../../task/status.ts';
import type { FileNotes, PlannedFile } from '../files/workspace-link.ts';
import type { ConversationPoint } from '../history/conversation-end.ts';
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
  /** Where the journal ends: with it as `expect`, it is done only if nothing was recorded since. */
  readonly expect: number;
  /** What becomes of the conversation of an agent in its own program; null for any other task, and if it stays. */
  readonly conversation: ConversationCut | null;
}

/** The session as it is stays; its agent continues in another, which ends at this place. */
export interface ConversationCut {
  readonly client: string;
  readonly session: string;
  /** Null where it continues in the session that it was in. */
  readonly place: ConversationPoint | null;
}

/** What a redo would bring back. */
export interface RedoPreview
  extends Pick<
    BackPreview,
    'task' | 'checkpoint' | 'entries' | 'steps' | 'files' | 'plan' | 'expect' | 'conversation'
  > {
  /** The status that the task would have. */
  readonly status: TaskStatus;
  readonly files_only: boolean;
  /** How many rollbacks or undos can be redone, with this one. */
  readonly more: number;
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
  /** Where the journal ends now. */
  readonly position: number;
  /** Whether only files had been undone. */
  readonly files_only: boolean;
  /** How many rollbacks or undos before it can be redone, too. */
  readonly more: number;
  /** Notes about single files; null if the rollback had changed none. */
  readonly notes: FileNotes | null;
}

/** What the changes of one task to files would do where another works. */
export interface TakePreview extends Pick<BackPreview, 'task' | 'files' | 'plan' | 'expect'> {
  /** The task whose changes they are. */
  readonly from: string;
  /** Where the journal of that task ends. */
  readonly expect_from: number;
  /** Files that it or others changed: none of them is taken. */
  readonly in_doubt: readonly string[];
  /** Not taken, because their content is lost. */
  readonly lost: readonly string[];
  /** False if part of what it changed is not known: an operation is in progress or was cut off. */
  readonly complete: boolean;
}

export interface Taken {
  /** Where the changes were brought, and whose they are. */
  readonly task: string;
  readonly from: string;
  /** False if all files were left as they are. */
  readonly done: boolean;
  /** Made before it: going back to it takes back what was taken. Null where clean-up has removed all of the task. */
  readonly checkpoint: string | null;
  /** Where the journal ends now. */
  readonly position: number;
  /** The files that were changed. */
  readonly files: readonly string[];
  /** Notes about single files. */
  readonly notes: FileNotes;
}

/** What a dead process had started, and is finished now. */
export type Finished =
  | { readonly verb: 'redo'; readonly result: Redone }
  | { readonly verb: 'take'; readonly result: Taken }
  | { readonly verb: 'undo' | 'rollback'; readonly result: BackResult };
