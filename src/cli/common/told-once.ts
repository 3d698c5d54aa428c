/** What a session's person is told where it is not recorded: each problem once. */
import { TooLate } from '../../agents/host/host.ts';
import { VibeError } from '../../errors.ts';
import type { Say } from '../../verbs/text/choose.ts';
import type { Translate } from '../../verbs/text/translate.ts';

export interface Words {
  readonly say: Say;
  readonly translate: Translate;
}

/** Returns what was not told before, else null; it is written to `log`, too. */
export function toldOnce(
  { say, translate }: Words,
  log: (line: string) => void = () => {},
): (error: unknown) => string | null {
  const told = new Set<string>();
  const lineOf = (error: unknown): string =>
    error instanceof TooLate
      ? say('agents.hung')
      : say('agents.not_recorded', { why: translate(why(error)) });
  return (error) => {
    const line = lineOf(error);
    if (told.has(line)) return null;
    told.add(line);
    log(line);
    return line;
  };
}

function why(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return error instanceof VibeError ? `${message} ${error.hint}` : message;
}
