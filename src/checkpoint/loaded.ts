/** Checkpoints that a caller has: which manager loaded each, so that it can be compared with what is stored. */
import { phrase } from '../phrase.ts';
import type { Checkpoint, CheckpointRecord } from './record/record.ts';
import { machineEnvironment } from './validation/machine.ts';
import {
  type CheckpointEnvironment,
  type CheckpointValidation,
  validateCheckpoint,
} from './validation/validate.ts';

interface Source {
  validateCheckpoint(
    checkpoint: Checkpoint | CheckpointRecord,
    environment?: CheckpointEnvironment,
  ): Promise<CheckpointValidation>;
}

const sources = new WeakMap<object, Source>();

export function noteLoaded<C extends Checkpoint | CheckpointRecord>(checkpoint: C, source: Source): C {
  sources.set(checkpoint, source);
  return checkpoint;
}

/**
 * Whether a task can resume from a checkpoint: it is valid, intact, and the machine still meets its requirements. One that a
 * `CheckpointManager` loaded or listed is compared with what is stored.
 */
export async function validateLoaded(
  checkpoint: Checkpoint | CheckpointRecord,
  environment?: CheckpointEnvironment,
): Promise<CheckpointValidation> {
  const source = sources.get(checkpoint);
  if (source) return source.validateCheckpoint(checkpoint, environment);
  if (!isLoaded(checkpoint))
    return validateCheckpoint(checkpoint, environment ?? machineEnvironment(NO_BLOBS));
  return validateElsewhere(
    checkpoint,
    phrase`Whether it was changed is not known: it was not loaded here. Ask a CheckpointManager for it by id.`,
    environment,
  );
}

/** The checks that need no stored record: all but the comparison with it. */
export async function validateElsewhere(
  checkpoint: Checkpoint | CheckpointRecord,
  problem: string,
  environment: CheckpointEnvironment = machineEnvironment(NO_BLOBS),
): Promise<CheckpointValidation> {
  const { context } = checkpoint;
  const stored = isLoaded(checkpoint) ? { ...checkpoint, context: countsOf(context as never) } : checkpoint;
  const validation = await validateCheckpoint(stored, environment);
  const others = validation.problems.filter((said) => !said.startsWith('Its checksum'));
  return withProblem({ ...validation, problems: others }, problem);
}

export function withProblem(validation: CheckpointValidation, problem: string): CheckpointValidation {
  return {
    ...validation,
    integrity: { ...validation.integrity, checksumMatch: false },
    valid: false,
    problems: [...validation.problems, problem],
  };
}

/** With its context, not with counts of it. */
export function isLoaded(checkpoint: Checkpoint | CheckpointRecord): checkpoint is Checkpoint {
  return Array.isArray(checkpoint.context?.messages);
}

const NO_BLOBS = async (): Promise<null> => null;

function countsOf({ messages, tool_outputs, decisions }: Checkpoint['context']): CheckpointRecord['context'] {
  return {
    messages: messages.length,
    tool_outputs: tool_outputs.length,
    decisions: decisions.length,
    bytes: 0,
  };
}
