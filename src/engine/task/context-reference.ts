/** `context://{task_id}/{entry}`: everything a task knew at an entry of its journal, named in its state and checkpoints. */
import type { CheckpointContext } from '../../checkpoint/record/record.ts';
import { parseContextReference } from '../../checkpoint/validation/required-context.ts';
import { InvalidInputError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { type ContextServices, readContext } from './conversation.ts';
import { requireTask } from './tasks.ts';

/** The whole context. Takes the reference, or what has one, such as `accumulated_context`. */
export async function loadContext(services: ContextServices, given: unknown): Promise<CheckpointContext> {
  const reference = typeof given === 'string' ? given : (given as { reference?: unknown } | null)?.reference;
  const parsed = typeof reference === 'string' ? parseContextReference(reference) : null;
  if (!parsed) {
    throw new InvalidInputError(
      'USAGE',
      phrase`Not a reference to a context: ${JSON.stringify(reference)}.`,
      {
        data: { reference: reference ?? null },
        hint: phrase`It is context://{task_id}/{entry}, as in accumulated_context of a task’s state.`,
      },
    );
  }
  const { head } = await requireTask(services.storage, parsed.task);
  return readContext(services, head, { all: true, upTo: { seq: parsed.seq, hash: '' } });
}
