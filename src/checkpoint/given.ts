/** What callers give and what damage gives back. */
import { CorruptError, InvalidInputError } from '../errors.ts';
import { phrase } from '../phrase.ts';
import { parseCheckpointId } from '../task/keys.ts';

export function isCheckpointId(id: unknown): boolean {
  return typeof id === 'string' && parseCheckpointId(id) !== null;
}

export function taskOf(id: string): string {
  const parsed = parseCheckpointId(id);
  if (parsed) return parsed.task;
  throw new InvalidInputError('INVALID_ID', phrase`Not the id of a checkpoint: ${JSON.stringify(id)}.`, {
    data: { id },
    hint: phrase`Use "ckpt-{task_id}-{sequence_number}", as listCheckpoints gives it.`,
  });
}

/** Damage is returned, any other failure is thrown. */
export async function ifWhole<T>(read: () => Promise<T>): Promise<T | CorruptError> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof CorruptError) return error;
    throw error;
  }
}
