/** Which verb a rewind is: to a checkpoint, of everything, or back again. */
import { say } from '../../ground/language.ts';

export type Part = 'all' | 'state' | 'files';
export const PARTS: readonly Part[] = ['all', 'state', 'files'];

interface Request {
  readonly verb: 'rollback' | 'undo' | 'redo';
  readonly args: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, unknown>>;
  /** State and files can be taken back apart. */
  readonly parts: boolean;
}

/** `undo` and `redo` stand in the place of a checkpoint. */
export function requestOf(task: string, checkpoint: string, part: Part): Request {
  if (checkpoint === 'undo' || checkpoint === 'redo')
    return { verb: checkpoint, args: { task }, options: {}, parts: false };
  const options = part === 'all' ? {} : { only: part };
  return { verb: 'rollback', args: { checkpoint }, options, parts: true };
}

export function titleOf(checkpoint: string): string {
  if (checkpoint === 'undo') return say('page.rewind.undo');
  if (checkpoint === 'redo') return say('page.rewind.redo');
  return say('page.rewind.to', { number: checkpoint.slice(checkpoint.lastIndexOf('-') + 1) });
}
