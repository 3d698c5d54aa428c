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

/** A listener cannot stop what it is notified of. */
export function telling<T>(name: string, hear: ((told: T) => void) | undefined): (told: T) => void {
  return (told) => {
    try {
      hear?.(told);
    } catch (error) {
      warn('VIBE_ENGINE_LISTENER', phrase`The function ${name}`, error);
    }
  };
}
