/** SQLite's error codes as typed errors. */
import { CorruptError, IoError, StoreError, VibeError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';

const BUSY = 5;
const MOVED = 1032; // SQLITE_READONLY_DBMOVED: its file has lost its name
const SYNC_FAILURES = new Set([1034, 1290]); // SQLITE_IOERR_FSYNC, SQLITE_IOERR_DIR_FSYNC

export function isBusy(error: unknown): boolean {
  return primaryCode(error) === BUSY;
}

/** After this the content of the disk is unknown, and syncing again would not reveal it. */
export function isFailedSync(error: unknown): boolean {
  return SYNC_FAILURES.has(codeOf(error) ?? 0);
}

/** Whether the file does not even start like an SQLite database. */
export function isNoDatabase(error: unknown): boolean {
  return primaryCode(error) === 26;
}

/** The typed error for anything thrown while working on the file; other errors are passed on. */
export function faultOf(path: string, cause: unknown): unknown {
  if (cause instanceof VibeError) return cause;
  const nodeCode = (cause as { code?: unknown } | null)?.code;
  if (nodeCode === 'ERR_OUT_OF_RANGE')
    return corrupt(path, phrase`holds a number that no store writes`, cause);
  if (nodeCode === 'ERR_INVALID_STATE') return closed(path);
  if (nodeCode !== 'ERR_SQLITE_ERROR') return cause;
  const message = (cause as Error).message;
  const data = { path, sqlite_code: codeOf(cause) };
  if (codeOf(cause) === MOVED) return gone(path, cause);
  switch (primaryCode(cause)) {
    case BUSY:
    case 6:
      return busy(path, cause);
    case 13:
      return new IoError('DISK_FULL', phrase`No room left on the disk of ${path}.`, {
        data,
        cause,
        hint: phrase`Free some space and try again: nothing of this write was kept, all earlier ones are.`,
      });
    case 3:
    case 8:
    case 14:
      return new IoError('NO_PERMISSION', phrase`Not allowed to open or write ${path} (${message}).`, {
        data,
        cause,
        hint: phrase`Check who owns the file and its directory, and their modes; both must be writable.`,
      });
    case 1:
    case 11:
    case 17:
    case 19:
    case 20:
    case 26:
      return corrupt(path, phrase`is damaged (${message})`, cause);
    default:
      return new IoError('IO_FAILED', phrase`Reading or writing ${path} failed (${message}).`, {
        data,
        cause,
        hint: phrase`See the cause. If the disk is failing, copy the store elsewhere before you continue.`,
      });
  }
}

export function corrupt(path: string, what: string, cause?: unknown): CorruptError {
  return new CorruptError(phrase`The store ${path} ${what}.`, {
    data: { path, database: true },
    hint: phrase`Copy the file aside before anything else; then vibe-engine doctor lists what is wrong, and --repair repairs what it can.`,
    ...(cause === undefined ? {} : { cause }),
  });
}

export function gone(path: string, cause?: unknown): StoreError {
  return new StoreError('STORE_GONE', phrase`${path} was removed or replaced while the store was open.`, {
    data: { path },
    hint: phrase`Nothing more is written. Restore it from a copy if there is one, then start again.`,
    ...(cause === undefined ? {} : { cause }),
  });
}

export function busy(path: string, cause?: unknown): StoreError {
  return new StoreError('STORE_BUSY', phrase`The store ${path} stayed busy: another process is writing.`, {
    data: { path },
    hint: phrase`A process that is stopped or hangs may hold its lock. Let it continue or end it, then try again.`,
    ...(cause === undefined ? {} : { cause }),
  });
}

export function closed(path: string): StoreError {
  return new StoreError('STORE_CLOSED', phrase`The store ${path} is closed.`, {
    data: { path },
    hint: phrase`Open it again; a closed store takes no calls.`,
  });
}

export function poisoned(path: string, cause: unknown): StoreError {
  return new StoreError(
    'STORE_POISONED',
    phrase`A sync of ${path} failed, so what the disk holds is not known.`,
    {
      data: { path },
      cause,
      hint: phrase`Close the store and open it again: it is then checked, and continues from what the disk really has.`,
    },
  );
}

function codeOf(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  return typeof code === 'number' ? code : undefined;
}

/** Extended codes keep the kind of error in their low byte. */
function primaryCode(error: unknown): number | undefined {
  const code = codeOf(error);
  return code === undefined ? undefined : code & 0xff;
}
