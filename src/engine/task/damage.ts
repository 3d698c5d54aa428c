/** Damage found while reading, and repairs outside tasks. */
import { CorruptError, InvalidStateError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Storage } from '../../storage/contract.ts';

export function isUnreadable(error: unknown): error is CorruptError | InvalidStateError {
  return error instanceof CorruptError || error instanceof InvalidStateError;
}

/** What was done about damaged records outside tasks, in a sentence; none if they are intact. */
export async function mendOutside(storage: Storage): Promise<string[]> {
  const repair = await storage.repair(null);
  if (!repair) return [];
  return [
    phrase`The records outside tasks were damaged: the intact ones are used. What was damaged is kept in ${repair.aside}.`,
  ];
}
