/** What stands behind `--` is for the program of an agent. */
import { InvalidInputError } from '../../errors.ts';
import type { Call } from '../kit/verb.ts';

/** For a task that has none. */
export function nobodyTakes(more: readonly string[], { say }: Pick<Call, 'say'>): InvalidInputError {
  return new InvalidInputError('USAGE', say('resume.no_more'), {
    data: { extra: more },
    hint: say('resume.no_more_hint'),
  });
}
