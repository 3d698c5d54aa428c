/** What a rollback takes from a task's past, or a redo brings back, beside its files. */
import type { RollbackPreview } from '../../engine/recovery/rollback.ts';
import type { Call } from '../kit/verb.ts';
import { named } from './file-lines.ts';

export function stepAndMessageLines(
  { steps, entries }: Pick<RollbackPreview, 'steps' | 'entries'>,
  { say }: Pick<Call, 'say'>,
): string[] {
  const { message = 0, tool = 0 } = entries;
  return [
    ...(steps.length > 0
      ? [say('rollback.steps', { count: steps.length, names: named(steps.map(({ name }) => name)) })]
      : []),
    ...(message > 0 ? [say('rollback.messages', { count: message })] : []),
    ...(tool > 0 ? [say('rollback.tools', { count: tool })] : []),
  ];
}
