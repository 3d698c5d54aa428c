/** The exit codes, for scripts. */
import { VibeError } from '../../errors.ts';

export const EXIT = {
  ok: 0,
  /** It failed; the error has a code. */
  error: 1,
  /** The command line is wrong. */
  usage: 2,
  /** A question needs an answer, and nobody could be asked. */
  unanswered: 3,
  /** The user was asked, and said no. */
  declined: 4,
  /** It succeeded, and found a problem. */
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
