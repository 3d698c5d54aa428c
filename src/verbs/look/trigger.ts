/** Why a checkpoint was made, in the reader's language. A name that is not ours stays as it is. */
import type { CheckpointRecord, CheckpointTrigger } from '../../checkpoint/record/record.ts';
import type { Say } from '../text/choose.ts';

/** `metadata`: of the checkpoint; one that `exec` made while its command ran is nobody's by hand. */
export function triggerText(
  { trigger, metadata }: Pick<CheckpointRecord, 'trigger' | 'metadata'>,
  say: Say,
): string {
  if (trigger === 'manual' && 'process' in metadata) return say('trigger.while_running');
  const known = TRIGGERS.find((name) => name === trigger);
  return known === undefined ? trigger : say(`trigger.${known}`);
}

const TRIGGERS: readonly CheckpointTrigger[] = [
  ...(['start', 'pause', 'wait', 'end', 'rollback', 'fork', 'manual', 'interval', 'context_growth'] as const),
  ...(['after_step', 'after_subagent', 'before_turn', 'after_user_input', 'after_file_change'] as const),
  ...(['before_shell_command', 'before_file_change', 'before_external_api'] as const),
];
