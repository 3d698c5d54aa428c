/** Errors of the server and the driver as typed errors. */
import { IoError, StoreError, VibeError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { isWrittenBefore } from './sql/lane.ts';

/** Whether a retry can help: the server went away, is starting, or another transaction went first. */
export function isPassing(error: unknown): boolean {
  const state = stateOf(error);
  if (state === undefined) return isConnectionLoss(error);
  return state.startsWith('08') || PASSING.has(state) || isConflict(error);
}

/** Refused for the moment only: shutdown, crash, start-up, no free slot, cancelled lock wait. */
const PASSING = new Set(['57P01', '57P02', '57P03', '57P05', '53300', '55P03']);
/** Two transactions conflicted, and this one was rolled back. */
export function isConflict(error: unknown): boolean {
  const state = stateOf(error);
  return state === '40001' || state === '40P01' || isWrittenBefore(error);
}

/** Nobody listens there, or there is no such host: waiting would not help. */
export function isAbsent(error: unknown): boolean {
  const codes = [error, ...((error as { errors?: unknown[] } | null)?.errors ?? [])].map(codeOf);
  return codes.some((code) => ABSENT.has(code ?? ''));
}

const ABSENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT']);

/** The typed error for what a statement threw; other errors are passed on. */
export function faultOf(where: string, cause: unknown): unknown {
  if (cause instanceof VibeError) return cause;
  const state = stateOf(cause);
  if (state === undefined) return isConnectionLoss(cause) ? unavailable(where, cause) : cause;
  const message = (cause as Error).message;
  const data = { where, sqlstate: state };
  if (isPassing(cause) || state.startsWith('28') || state === '3D000' || state === '25006') {
    return unavailable(where, cause);
  }
  if (state === '53100') {
    return new IoError('DISK_FULL', phrase`The PostgreSQL server at ${where} has no room left on its disk.`, {
      data,
      cause,
      hint: phrase`Free some space on the server and try again: nothing of this write was kept, all earlier ones are.`,
    });
  }
  if (state === '42501') {
    return new IoError('NO_PERMISSION', phrase`The PostgreSQL server at ${where} refused: ${message}.`, {
      data,
      cause,
      hint: phrase`Grant the role CREATE on the database, or create the schema in advance and give it to the role.`,
    });
  }
  return new IoError('IO_FAILED', phrase`The PostgreSQL server at ${where} failed: ${message} (${state}).`, {
    data,
    cause,
    hint: phrase`The log of the server says more.`,
  });
}

export function unavailable(where: string, cause: unknown, outcome?: 'unknown'): StoreError {
  const reason = (cause as Error | null)?.message || codeOf(cause) || phrase`no answer`;
  const message = phrase`The PostgreSQL server at ${where} cannot be used: ${reason}.`;
  const unknown = phrase`Whether the last write was kept is not known.`;
  return new StoreError('STORE_UNAVAILABLE', outcome ? `${message} ${unknown}` : message, {
    data: { where, reason, ...(outcome ? { outcome } : {}) },
    cause,
    hint:
      HINTS[stateOf(cause) ?? ''] ??
      phrase`Check that the server runs, that host and port are right, and the network.`,
  });
}

const HINTS: Readonly<Record<string, string>> = {
  '3D000': phrase`Create the database (createdb), or correct its name in the URL.`,
  '28P01': phrase`Correct the user or password in the URL.`,
  '28000': phrase`Correct the user in the URL, or allow it in pg_hba.conf.`,
  '53300': phrase`Lower the setting persistence.pool_size, or raise max_connections of the server.`,
  '25006': phrase`This server is read-only (a standby?). Use the primary.`,
};

export function closed(where: string): StoreError {
  return new StoreError('STORE_CLOSED', phrase`The store at ${where} is closed.`, {
    data: { where },
    hint: phrase`Open it again; a closed store takes no calls.`,
  });
}

const NETWORK = /^(E[A-Z]+|ERR_SOCKET.*|ERR_TLS.*|ERR_SSL.*)$/;
const DRIVER = /connection|timeout|socket|not queryable/i;

/** The driver has no codes of its own for a connection that ended: only words. */
function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError) return false;
  const code = codeOf(error);
  return code === undefined ? DRIVER.test(error.message) : NETWORK.test(code);
}

/** PostgreSQL's five-character code, when the server itself spoke. */
function stateOf(error: unknown): string | undefined {
  const { severity } = (error ?? {}) as { severity?: unknown };
  const code = codeOf(error);
  return typeof severity === 'string' && code !== undefined ? code : undefined;
}

function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}
