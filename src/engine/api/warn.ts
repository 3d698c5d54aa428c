/** Errors in the user's own callbacks: reported as a process warning, never thrown into the task. */
import { phrase } from '../../phrase.ts';

export function warn(code: 'VIBE_ENGINE_HOOK' | 'VIBE_ENGINE_LISTENER', whose: string, error: unknown): void {
  const [message, detail] =
    error instanceof Error ? [error.message, error.stack] : [String(error), undefined];
  // A message, because an Error object would be reported without the code.
  process.emitWarning(phrase`${whose} threw, and the task continues: ${message}`, {
    code,
    ...(detail === undefined ? {} : { detail }),
  });
}
