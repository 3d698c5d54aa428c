/** The turns of an agent: its checkpoints before a prompt. */
import type { CheckpointRecord } from '../../checkpoint/record/record.ts';

interface Turn {
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

/** Oldest first, without those that were taken back: no more was said by the turn after them, or by now. */
export function turnsIn<C extends Listed>(checkpoints: readonly C[]): readonly C[] {
  const turns = checkpoints.filter(({ trigger }) => trigger === 'before_turn');
  const now = checkpoints.at(-1)?.context.messages ?? 0;
  return turns.filter(({ context }, at) => (turns[at + 1]?.context.messages ?? now) > context.messages);
}
