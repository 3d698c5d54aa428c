/**
 * Every error this project throws. Each has a stable `code`, a sentence, the `data` behind the sentence
 * and a `hint` that says what to do; `docs/reference/errors.md` has an entry per code, held to this file by a test.
 */
export interface ErrorDetails {
  data?: Record<string, unknown>;
  hint: string;
  cause?: unknown;
}

export class VibeError<Code extends ErrorCode = ErrorCode> extends Error {
  readonly code: Code;
  readonly data: Record<string, unknown>;
  readonly hint: string;

  constructor(code: Code, message: string, details: ErrorDetails) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined);
    this.name = new.target.name;
    this.code = code;
    this.data = details.data ?? {};
    this.hint = details.hint;
  }

  toJSON(): Record<string, unknown> {
    return { name: this.name, code: this.code, message: this.message, hint: this.hint, data: this.data };
  }
}

const OF_STORE = [
  'STORE_NEWER',
  'STORE_FOREIGN',
  'STORE_POISONED',
  'STORE_CLOSED',
  'STORE_GONE',
  'STORE_UNAVAILABLE',
  'STORE_UNSAFE',
  'STORE_ENCRYPTED',
  'STORE_NOT_ENCRYPTED',
  'STORE_MOVING',
  'STORE_MOVED',
  'NO_KEY',
  'WRONG_KEY',
  'STORE_BUSY',
] as const;

const OF_ENGINE = [
  'TASK_NOT_FOUND',
  'TASK_UNKNOWN',
  'NOT_RESUMABLE',
  'DEFINITION_CHANGED',
  'CHECKPOINT_NOT_FOUND',
  'NO_VALID_CHECKPOINT',
  'ENVIRONMENT_CHANGED',
  'NEEDS_ANSWER',
  'QUESTION_ANSWERED',
  'QUESTION_CLOSED',
  'NOTHING_TO_REDO',
  'NOTHING_TO_UNDO',
  'NOTHING_TO_TAKE',
  'HOOK_VETO',
  'STEP_TIMEOUT',
  'WAIT_TIMEOUT',
  'RUN_STOPPED',
  'COMMAND_FAILED',
  'CONVERSATION_UNKNOWN',
] as const;

const OF_WORKSPACE = [
  'WORKSPACE_UNSAFE',
  'SNAPSHOT_NOT_FOUND',
  'SNAPSHOT_UNSAFE',
  'CONTENT_MISSING',
  'RESTORE_UNANSWERED',
  'RESTORE_ABORTED',
  'FILE_RESERVED',
  'RESERVATION_LOST',
  'FILE_CONFLICT',
] as const;

/** The codes, in the order in which a task meets them. */
export const ERROR_CODES = [
  'ILLEGAL_TRANSITION',
  'INVALID_STATE',
  'INVALID_ID',
  'INVALID_KEY',
  'INVALID_COMMIT',
  'NOT_SERIALISABLE',
  'CORRUPT',
  'STALE_WRITE',
  'TASK_OWNED',
  'FENCED_OUT',
  ...OF_STORE,
  'DISK_FULL',
  'NO_PERMISSION',
  'IO_FAILED',
  ...OF_ENGINE,
  ...OF_WORKSPACE,
  'DRIFT_UNKNOWN',
  'UPSTREAM_CHANGED',
  'REBASE_REFUSED',
  'COMMIT_REFUSED',
  'CONFIG_INVALID',
  'UNKNOWN_STORAGE',
  'MISSING_DEPENDENCY',
  'USAGE',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** A transition that the task's status does not allow. */
export class IllegalTransitionError extends VibeError<'ILLEGAL_TRANSITION'> {
  constructor(message: string, details: ErrorDetails) {
    super('ILLEGAL_TRANSITION', message, details);
  }
}

/** A state that lacks the data its status requires. */
export class InvalidStateError extends VibeError<'INVALID_STATE'> {
  constructor(message: string, details: ErrorDetails) {
    super('INVALID_STATE', message, details);
  }
}

/** A category, key, task id, blob id or commit that the stores do not accept. */
export class InvalidInputError extends VibeError<'INVALID_ID' | 'INVALID_KEY' | 'INVALID_COMMIT' | 'USAGE'> {}

/** A value that cannot be stored; `data.path` says where inside the value. */
export class NotSerialisableError extends VibeError<'NOT_SERIALISABLE'> {
  constructor(message: string, details: ErrorDetails) {
    super('NOT_SERIALISABLE', message, details);
  }
}

/** Stored bytes that are not what was written; `data` says which file or row, and what still loads. */
export class CorruptError extends VibeError<'CORRUPT'> {
  constructor(message: string, details: ErrorDetails) {
    super('CORRUPT', message, details);
  }
}

/** Someone else wrote first: the expected revision or position is no longer the current one. */
export class StaleWriteError extends VibeError<'STALE_WRITE'> {
  constructor(message: string, details: ErrorDetails) {
    super('STALE_WRITE', message, details);
  }
}

/** The task is owned: by another live process (`TASK_OWNED`), or no longer by this one (`FENCED_OUT`). */
export class OwnershipError extends VibeError<'TASK_OWNED' | 'FENCED_OUT'> {}

/** The store as a whole cannot be used as asked. */
export class StoreError extends VibeError<(typeof OF_STORE)[number]> {}

/** The operating system refused an operation on a file. */
export class IoError extends VibeError<'DISK_FULL' | 'NO_PERMISSION' | 'IO_FAILED'> {}

/** A setting that is unknown or of the wrong type; `data` has file, key and what was expected. */
export class ConfigError extends VibeError<'CONFIG_INVALID' | 'UNKNOWN_STORAGE' | 'MISSING_DEPENDENCY'> {}

/** A task could not be run, resumed, rolled back or answered as asked. */
export class EngineError extends VibeError<(typeof OF_ENGINE)[number]> {}

/** Files could not be captured or restored as asked. */
export class WorkspaceError extends VibeError<(typeof OF_WORKSPACE)[number]> {}

/** Changes in the repository prevent the operation. Nothing was changed. */
export class DriftError extends VibeError<
  'DRIFT_UNKNOWN' | 'UPSTREAM_CHANGED' | 'REBASE_REFUSED' | 'COMMIT_REFUSED'
> {}

/** For `catch`: answers `value` to an error that matches, and throws any other on. */
export function answering<T>(matches: (error: unknown) => boolean, value: T): (error: unknown) => T {
  return (error) => {
    if (matches(error)) return value;
    throw error;
  };
}

export function isDamage(error: unknown): error is CorruptError {
  return error instanceof CorruptError;
}
