/**
 * Every error this project throws. Each has a stable `code`, a sentence, the `data` behind the sentence
 * and a `hint` that says what to do; `docs/reference/errors.md` has an entry per code, held to this file by a test.
 */
export interface ErrorDetails {
  data?: Record<string, unknown>;
  hint: string;
  cause?: unknown;
}

export class VibeError extends Error {
  readonly code: ErrorCode;
  readonly data: Record<string, unknown>;
  readonly hint: string;

  constructor(code: ErrorCode, message: string, details: ErrorDetails) {
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
  'DISK_FULL',
  'NO_PERMISSION',
  'IO_FAILED',
  'TASK_NOT_FOUND',
  'TASK_UNKNOWN',
  'NOT_RESUMABLE',
  'DEFINITION_CHANGED',
  'CHECKPOINT_NOT_FOUND',
  'NO_VALID_CHECKPOINT',
  'ENVIRONMENT_CHANGED',
  'NEEDS_ANSWER',
  'NOTHING_TO_REDO',
  'NOTHING_TO_UNDO',
  'HOOK_VETO',
  'STEP_TIMEOUT',
  'WAIT_TIMEOUT',
  'RUN_STOPPED',
  'COMMAND_FAILED',
  'WORKSPACE_UNSAFE',
  'SNAPSHOT_NOT_FOUND',
  'SNAPSHOT_UNSAFE',
  'CONTENT_MISSING',
  'RESTORE_UNANSWERED',
  'RESTORE_ABORTED',
  'FILE_RESERVED',
  'RESERVATION_LOST',
  'FILE_CONFLICT',
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
export class IllegalTransitionError extends VibeError {
  constructor(message: string, details: ErrorDetails) {
    super('ILLEGAL_TRANSITION', message, details);
  }
}

/** A state that lacks the data its status requires. */
export class InvalidStateError extends VibeError {
  constructor(message: string, details: ErrorDetails) {
    super('INVALID_STATE', message, details);
  }
}

/** A category, key, task id, blob id or commit that the stores do not accept. */
export class InvalidInputError extends VibeError {
  constructor(
    code: 'INVALID_ID' | 'INVALID_KEY' | 'INVALID_COMMIT' | 'USAGE',
    message: string,
    details: ErrorDetails,
  ) {
    super(code, message, details);
  }
}

/** A value that cannot be stored; `data.path` says where inside the value. */
export class NotSerialisableError extends VibeError {
  constructor(message: string, details: ErrorDetails) {
    super('NOT_SERIALISABLE', message, details);
  }
}

/** Stored bytes that are not what was written; `data` says which file or row, and what still loads. */
export class CorruptError extends VibeError {
  constructor(message: string, details: ErrorDetails) {
    super('CORRUPT', message, details);
  }
}

/** Someone else wrote first: the expected revision or position is no longer the current one. */
export class StaleWriteError extends VibeError {
  constructor(message: string, details: ErrorDetails) {
    super('STALE_WRITE', message, details);
  }
}

/** The task is owned: by another live process (`TASK_OWNED`), or no longer by this one (`FENCED_OUT`). */
export class OwnershipError extends VibeError {
  constructor(code: 'TASK_OWNED' | 'FENCED_OUT', message: string, details: ErrorDetails) {
    super(code, message, details);
  }
}

/** The store as a whole cannot be used as asked. */
export class StoreError extends VibeError {
  constructor(
    code:
      | 'STORE_NEWER'
      | 'STORE_FOREIGN'
      | 'STORE_POISONED'
      | 'STORE_CLOSED'
      | 'STORE_GONE'
      | 'STORE_UNAVAILABLE'
      | 'STORE_UNSAFE'
      | 'STORE_ENCRYPTED'
      | 'STORE_NOT_ENCRYPTED'
      | 'STORE_MOVING'
      | 'STORE_MOVED'
      | 'NO_KEY'
      | 'WRONG_KEY'
      | 'STORE_BUSY',
    message: string,
    details: ErrorDetails,
  ) {
    super(code, message, details);
  }
}

/** The operating system refused an operation on a file. */
export class IoError extends VibeError {
  constructor(code: 'DISK_FULL' | 'NO_PERMISSION' | 'IO_FAILED', message: string, details: ErrorDetails) {
    super(code, message, details);
  }
}

/** A setting that is unknown or of the wrong type; `data` has file, key and what was expected. */
export class ConfigError extends VibeError {
  constructor(
    code: 'CONFIG_INVALID' | 'UNKNOWN_STORAGE' | 'MISSING_DEPENDENCY',
    message: string,
    details: ErrorDetails,
  ) {
    super(code, message, details);
  }
}

/** A task could not be run, resumed, rolled back or answered as asked. */
export class EngineError extends VibeError {
  constructor(
    code:
      | 'TASK_NOT_FOUND'
      | 'TASK_UNKNOWN'
      | 'NOT_RESUMABLE'
      | 'DEFINITION_CHANGED'
      | 'CHECKPOINT_NOT_FOUND'
      | 'NO_VALID_CHECKPOINT'
      | 'ENVIRONMENT_CHANGED'
      | 'NEEDS_ANSWER'
      | 'NOTHING_TO_REDO'
      | 'NOTHING_TO_UNDO'
      | 'HOOK_VETO'
      | 'STEP_TIMEOUT'
      | 'WAIT_TIMEOUT'
      | 'RUN_STOPPED'
      | 'COMMAND_FAILED',
    message: string,
    details: ErrorDetails,
  ) {
    super(code, message, details);
  }
}

/** Files could not be captured or restored as asked. */
export class WorkspaceError extends VibeError {
  constructor(
    code:
      | 'WORKSPACE_UNSAFE'
      | 'SNAPSHOT_NOT_FOUND'
      | 'SNAPSHOT_UNSAFE'
      | 'CONTENT_MISSING'
      | 'RESTORE_UNANSWERED'
      | 'RESTORE_ABORTED'
      | 'FILE_RESERVED'
      | 'RESERVATION_LOST'
      | 'FILE_CONFLICT',
    message: string,
    details: ErrorDetails,
  ) {
    super(code, message, details);
  }
}

/** Changes in the repository prevent the operation. Nothing was changed. */
export class DriftError extends VibeError {
  constructor(
    code: 'DRIFT_UNKNOWN' | 'UPSTREAM_CHANGED' | 'REBASE_REFUSED' | 'COMMIT_REFUSED',
    message: string,
    details: ErrorDetails,
  ) {
    super(code, message, details);
  }
}
