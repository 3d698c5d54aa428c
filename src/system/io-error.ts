/** Errors of the operating system as typed errors. */
import { IoError } from '../errors.ts';
import { phrase } from '../phrase.ts';

export type IoOp =
  | 'open'
  | 'read'
  | 'write'
  | 'fsync'
  | 'fdatasync'
  | 'truncate'
  | 'rename'
  | 'unlink'
  | 'mkdir'
  | 'rmdir'
  | 'readdir'
  | 'stat'
  | 'statfs'
  | 'link'
  | 'symlink'
  | 'readlink'
  | 'chmod'
  | 'utimes'
  | 'watch';

/** The errno name behind an error of this folder, or undefined. */
export function errnoOf(error: unknown): string | undefined {
  if (error instanceof IoError) return error.data.errno as string;
  return undefined;
}

/** The same error about another file, where it is about this one; any other error as it is. */
export function withPath(error: unknown, from: string, to: string): unknown {
  if (!(error instanceof IoError) || error.data.path !== from) return error;
  return ioError(error.data.op as IoOp, to, error.cause);
}

/** What the work returns, or `otherwise` where the system refuses it; other errors are thrown. */
export function unlessRefused<T>(work: () => T, otherwise: T): T {
  try {
    return work();
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return otherwise;
  }
}

/** The typed error for a failed call. */
export function ioError(op: IoOp, path: string, cause: unknown): IoError {
  if (cause instanceof IoError) return cause;
  const errno = (cause as NodeJS.ErrnoException).code ?? 'UNKNOWN';
  const data = { op, path, errno };
  if (errno === 'ENOSPC' || errno === 'EDQUOT') {
    return new IoError('DISK_FULL', phrase`No room left on the disk of ${path}.`, {
      data,
      cause,
      hint: phrase`Free some space or raise the quota, then open the store again; what was acknowledged is kept.`,
    });
  }
  if (errno === 'EACCES' || errno === 'EPERM' || errno === 'EROFS') {
    return new IoError('NO_PERMISSION', phrase`Not allowed to ${op} ${path} (${errno}).`, {
      data,
      cause,
      hint: phrase`Check who owns the directory and its mode; the store must be writable by the user who runs this.`,
    });
  }
  return new IoError('IO_FAILED', phrase`Could not ${op} ${path} (${errno}).`, {
    data,
    cause,
    hint: phrase`See the cause. If the disk is failing, copy the store elsewhere before you continue.`,
  });
}
