/** Tasks that a run has left without ending them. */
import { isDeepStrictEqual } from 'node:util';
import type { Storage } from '../../storage/contract.ts';
import type { LeftTask, RunOutcome } from '../run/services.ts';
import type { StoredTask } from '../task/tasks.ts';

/** The run has ended, and the task is as it was. */
export function endedUnchanged({ status }: RunOutcome): boolean {
  return status === 'stopped' || status === 'released' || status === 'idle';
}

/** Nobody wrote to the task since. */
export async function isUnchangedSince(
  storage: Storage,
  left: LeftTask,
  found: StoredTask,
): Promise<boolean> {
  const { seq, hash } = await storage.position(found.head.task_id);
  const isSame = seq === left.position.seq && hash === left.position.hash;
  return isSame && isDeepStrictEqual(found, { head: left.head, state: left.state });
}
