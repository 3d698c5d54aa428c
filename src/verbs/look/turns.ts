/** The turns of an agent: its checkpoints before a prompt. */
import type { CheckpointRecord } from '../../checkpoint/record/record.ts';

export interface Turn {
  /** What was asked, in a line; null for a checkpoint that is not before a prompt. */
  readonly prompt: string | null;
  /** The agent's own id of the prompt. */
  readonly ref: string | null;
}

const NONE: Turn = { prompt: null, ref: null };

export function turnOf({ trigger, metadata }: Pick<CheckpointRecord, 'trigger' | 'metadata'>): Turn {
  if (trigger !== 'before_turn') return NONE;
  const { prompt, ref } = metadata;
  return { prompt: typeof prompt === 'string' ? prompt : '', ref: typeof ref === 'string' ? ref : null };
}

type Listed = Pick<CheckpointRecord, 'trigger' | 'metadata' | 'context'>;

/** Oldest first, without those that were taken back: nothing was said after their checkpoints. */
export function turnsIn<C extends Listed>(checkpoints: readonly C[]): readonly C[] {
  return checkpoints.filter(
    ({ trigger, context }, at) =>
      trigger === 'before_turn' &&
      checkpoints.slice(at + 1).some((later) => later.context.messages > context.messages),
  );
}
