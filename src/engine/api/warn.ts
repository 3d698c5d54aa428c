/** What goes wrong beside a task, in code that is the user's: reported as a warning of the process, never thrown into the task. */
import { phrase } from '../../phrase.ts';

export function warn(code: 'VIBE_ENGINE_HOOK' | 'VIBE_ENGINE_LISTENER', whose: string, error: unknown): void {
  const [message, detail] =
    error instanceof Error ? [error.message, error.stack] : [String(error), undefined];
  // A message, since an error that is given itself is reported without the code.
  process.emitWarning(phrase`${whose} threw, and the task goes on: ${message}`, {
    code,
    ...(detail === undefined ? {} : { detail }),
  });
}
