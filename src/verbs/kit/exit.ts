/** What the program's exit says, for scripts. */
import { VibeError } from '../../errors.ts';

export const EXIT = {
  ok: 0,
  /** It could not be done; the error has a code. */
  error: 1,
  /** It was not asked for in the right words. */
  usage: 2,
  /** Something has to be answered, and nobody could be asked. */
  unanswered: 3,
  /** Somebody was asked, and said no. */
  declined: 4,
  /** It was done, and it found something wrong. */
  found: 5,
  /** This Node, or this installation, cannot run it. */
  unusable: 69,
  /** Ctrl-C. */
  interrupted: 130,
} as const;

export function exitOf(error: unknown): number {
  if (!(error instanceof VibeError)) return EXIT.error;
  if (error.code === 'USAGE') return EXIT.usage;
  return error.code === 'NEEDS_ANSWER' || error.code === 'RESTORE_UNANSWERED' ? EXIT.unanswered : EXIT.error;
}
