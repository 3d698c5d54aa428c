/** File data may be damaged, too: code that can continue without it does, and reports that. */
import { CorruptError, VibeError, WorkspaceError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';

const OF_FILES: ReadonlySet<string> = new Set(['CONTENT_MISSING', 'SNAPSHOT_NOT_FOUND', 'SNAPSHOT_UNSAFE']);

const OF_BLOB = /^(?:snapshot|tree|file)\//;

/** Whether a snapshot or the content of a file cannot be read, and not merely was withheld. */
export function isLostFile(error: unknown): error is VibeError {
  if (error instanceof CorruptError) return OF_BLOB.test(String(error.data.id));
  return error instanceof VibeError && OF_FILES.has(error.code) && error.data.withheld === undefined;
}

/** Does the work, or `otherwise` if it needs lost data; `tell` gets the reason. */
export async function unlessLost<T>(
  work: () => Promise<T>,
  otherwise: T,
  tell?: (why: string) => void,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isLostFile(error)) throw error;
    tell?.(error.message);
    return otherwise;
  }
}

/** The same where it is not known what there was. */
export function nothingCaptured(task: string): WorkspaceError {
  return new WorkspaceError(
    'SNAPSHOT_NOT_FOUND',
    phrase`No snapshot of the files from before that is left.`,
    { data: { task }, hint: asTheyAre(task) },
  );
}

/** Repeating an edit on the current files would apply it twice: the user has to decide. */
export function cannotTakeBack(task: string, cause: VibeError): WorkspaceError {
  return new WorkspaceError(
    'CONTENT_MISSING',
    phrase`What task ${task} did to files since then cannot be undone: ${cause.message}`,
    {
      data: { ...cause.data, task },
      cause,
      hint: asTheyAre(task),
    },
  );
}

function asTheyAre(task: string): string {
  return phrase`These steps run again: undo their changes in the files yourself, then resume with the files as they are: vibe-engine resume ${task} --on-modified use_current.`;
}
