/** Asks the user: through a terminal, a dashboard, or an agent's own prompt. */

/** A question only the user can answer. */
export interface Question {
  readonly kind:
    | 'environment'
    | 'definition'
    | 'file_modified'
    | 'file_deleted'
    | 'file_conflict'
    | 'upstream';
  readonly task: string;
  /** In a sentence or two. */
  readonly message: string;
  readonly options: readonly string[];
  /** The option that is best to take, or that changes least; default: the first. */
  readonly recommended?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Asks the user; returns one of the options. */
export interface Prompter {
  ask(question: Question): Promise<string>;
}
