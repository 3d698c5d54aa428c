/** What is said to decisions that do not fit the conflicts of a file. */
import { InvalidInputError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';

export function noSuchHunk(path: string, unknown: readonly number[], count: number): InvalidInputError {
  return new InvalidInputError('USAGE', phrase`${path} has no conflict ${unknown}.`, {
    data: { path, unknown, count },
    hint: phrase`Its conflicts are numbered from 1 to ${count}.`,
  });
}

export function undecided(path: string, open: readonly number[]): InvalidInputError {
  return new InvalidInputError('USAGE', phrase`Nothing is decided for conflict ${open} of ${path}.`, {
    data: { path, open },
    hint: phrase`Nothing was changed. Decide each: ours, theirs, both, base, or suggested where there is a suggestion.`,
  });
}
