/** Checks arguments of untyped callers: bad ones are refused with USAGE before anything runs or is recorded. */
import { InvalidInputError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';

export function checkName(what: string, name: unknown): void {
  if (typeof name === 'string' && name !== '') return;
  throw usage(phrase`${what} needs a name.`, { name }, phrase`Give it a text that says what it does.`);
}

export function checkFunction(what: string, fn: unknown): void {
  if (typeof fn === 'function') return;
  throw usage(
    phrase`${what} needs a function to run.`,
    { given: typeof fn },
    phrase`Give one, such as async () => …`,
  );
}

/** Milliseconds: a number that lies in time. */
export function checkDuration(what: string, ms: unknown): void {
  if (typeof ms === 'number' && ms >= 0 && ms <= LONGEST_MS) return;
  throw usage(
    phrase`${what} is not a number of milliseconds: ${String(ms)}.`,
    { ms },
    phrase`Give a number, such as 60_000.`,
  );
}

export function checkMembers(what: string, value: unknown): void {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return;
  throw usage(
    phrase`${what} has to be an object.`,
    { given: typeof value },
    phrase`Such as { reason: "halfway" }.`,
  );
}

/** A thousand years; such a date can still be written. */
const LONGEST_MS = 1000 * 366 * 24 * 60 * 60 * 1000;

function usage(message: string, data: Record<string, unknown>, hint: string): InvalidInputError {
  return new InvalidInputError('USAGE', message, { data, hint });
}
