/** Commands of a task that outlived the process which ran it: if they were started again, they would do their work twice. */
import { EngineError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Storage } from '../../storage/contract.ts';
import { isAlive, type ProcessMark } from '../../system/process/alive.ts';
import { processesWith } from '../../system/process/marked-processes.ts';
import { liveCheckpoints, tryCheckpoint } from '../history/checkpoints.ts';
import type { Memory } from '../task/memory.ts';
import type { Head } from '../task/records/head.ts';

/** In the environment of a command, and of every process that it starts. */
export const STEP_VARIABLE = 'VIBE_ENGINE_STEP';

export function stepMark(task: string, step: string): string {
  return `${task}/${step}`.replaceAll('\0', '');
}

/** The metadata key with the process of a running command. */
export const PROCESS = 'process';

/** NOT_RESUMABLE while an interrupted command has not ended. */
export async function refuseStillRunning(storage: Storage, head: Head, memory: Begun): Promise<void> {
  const task = head.task_id;
  const pids = await stillRunning(storage, head, memory);
  if (pids.length === 0) return;
  throw new EngineError(
    'NOT_RESUMABLE',
    phrase`A command of task ${task} is still running, as process ${pids.join(', ')}.`,
    {
      data: { task, pids },
      hint: phrase`Nothing was changed. Wait until it has ended, or end it: kill ${pids.join(' ')}. Then try again.`,
    },
  );
}

type Begun = Pick<Memory, 'begun'>;

/** The processes of interrupted commands; for a task that is not running. */
export async function stillRunning(storage: Storage, head: Head, { begun }: Begun): Promise<number[]> {
  const cutOff = [...begun.values()].filter(({ danger }) => danger === 'shell_command');
  if (cutOff.length === 0) return [];
  const marks = new Set(cutOff.map(({ id }) => stepMark(head.task_id, id)));
  const found = new Set([...processesWith(STEP_VARIABLE, marks), ...(await ofCheckpoint(storage, head))]);
  return [...found].sort((a, b) => a - b);
}

/** A task that is itself a command has its process in the checkpoints that are made while it runs. */
async function ofCheckpoint(storage: Storage, { task_id, origin }: Head): Promise<number[]> {
  if (origin?.kind !== 'command') return [];
  const newest = (await liveCheckpoints(storage, task_id)).at(-1);
  const found = newest && (await tryCheckpoint(newest));
  const mark =
    found && 'record' in found ? (found.record.metadata[PROCESS] as ProcessMark | undefined) : null;
  return mark && isAlive(mark) ? [mark.pid] : [];
}
