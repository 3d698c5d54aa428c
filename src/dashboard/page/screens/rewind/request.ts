/** Which verb a rewind is: to a checkpoint, of everything, or back again. */
import { say } from '../../ground/language.ts';
import { taskRow } from '../../state/tasks.ts';

export type Part = 'all' | 'state' | 'files';
export const PARTS: readonly Part[] = ['all', 'state', 'files'];

interface Request {
  readonly verb: 'rollback' | 'undo' | 'redo' | 'take';
  readonly args: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, unknown>>;
  /** State and files can be taken back apart. */
  readonly parts: boolean;
}

const TAKE = 'take:';

/** What stands in the place of a checkpoint where what this task did to files is brought here. */
export const takeFrom = (task: string): string => `${TAKE}${task}`;

export function takenFrom(checkpoint: string): string | null {
  return checkpoint.startsWith(TAKE) ? checkpoint.slice(TAKE.length) : null;
}

/** `undo`, `redo` and what is taken stand in the place of a checkpoint. */
export function requestOf(task: string, checkpoint: string, part: Part): Request {
  const from = takenFrom(checkpoint);
  if (from !== null) return { verb: 'take', args: { from, into: task }, options: {}, parts: false };
  if (checkpoint === 'undo' || checkpoint === 'redo')
    return { verb: checkpoint, args: { task }, options: {}, parts: false };
  const options = part === 'all' ? {} : { only: part };
  return { verb: 'rollback', args: { checkpoint }, options, parts: true };
}

export function titleOf(checkpoint: string): string {
  if (checkpoint === 'undo') return say('page.rewind.undo');
  if (checkpoint === 'redo') return say('page.rewind.redo');
  const from = takenFrom(checkpoint);
  if (from !== null) return say('page.take.title', { name: taskRow(from)?.name ?? from });
  return say('page.rewind.to', { number: checkpoint.slice(checkpoint.lastIndexOf('-') + 1) });
}
