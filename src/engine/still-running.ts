/** Commands of a task that outlived the process which ran it: started again beside themselves, they would do their work twice. */
import { EngineError } from '../errors.ts';
import { phrase } from '../phrase.ts';
import { processesWith } from '../system/marked-processes.ts';
import type { Memory } from './memory.ts';

/** What a command, and all that it starts, has in its environment. */
export const STEP_VARIABLE = 'VIBE_ENGINE_STEP';

export function stepMark(task: string, step: string): string {
  return `${task}/${step}`.replaceAll('\0', '');
}

/** NOT_RESUMABLE while a command that was cut off has not ended. */
export function refuseStillRunning(task: string, { begun }: Pick<Memory, 'begun'>): void {
  const cutOff = [...begun.values()].filter(({ danger }) => danger === 'shell_command');
  const marks = new Set(cutOff.map(({ id }) => stepMark(task, id)));
  const pids = processesWith(STEP_VARIABLE, marks);
  if (pids.length === 0) return;
  throw new EngineError(
    'NOT_RESUMABLE',
    phrase`A command of task ${task} still runs, as process ${pids.join(', ')}.`,
    {
      data: { task, pids },
      hint: phrase`Nothing was changed. Wait until it has ended, or end it: kill ${pids.join(' ')}. Then try again.`,
    },
  );
}
