/** Asks the user: through a terminal, a dashboard, or an agent's own prompt. */

/** A question only the user can answer. */
export interface Question {
  readonly kind: QuestionKind;
  readonly task: string;
  /** In a sentence or two. */
  readonly message: string;
  readonly options: readonly string[];
  /** The option that is best to take, or that changes least; default: the first. */
  readonly recommended?: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** For `file_conflict`: the file as it was, as the task has it, and as others have it. */
  readonly versions?: FileVersions;
}

type QuestionKind =
  | 'environment'
  | 'definition'
  | 'file_modified'
  | 'file_deleted'
  | 'file_conflict'
  | 'upstream'
  /** Whether to run what a task was started with. */
  | 'confirm';

export interface FileVersions {
  readonly base: Uint8Array;
  readonly ours: Uint8Array;
  readonly theirs: Uint8Array;
}

/** Asks the user; returns one of the options, or the whole file without conflicts for a `file_conflict`. */
export interface Prompter {
  /** `signal`: the question was answered elsewhere, or is withdrawn. */
  ask(question: Question, signal?: AbortSignal): Promise<string | Uint8Array>;
}
