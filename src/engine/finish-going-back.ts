/** Finishes what a process that died had begun with a task's files, so that the task is where its files are. */
import type { Claim } from '../storage/contract.ts';
import { loadUnfinished } from './files/unfinished.ts';
import type { GoingBack } from './going-back.ts';
import { redo } from './redo.ts';
import { rollBack } from './rollback.ts';

export async function finishGoingBack(host: GoingBack, claim: Claim): Promise<void> {
  if (!host.workspace.rollback) return;
  const begun = await loadUnfinished(host.storage, claim.task);
  if (!begun) return;
  const { checkpoint, only, on_modified, on_deleted } = begun;
  if (checkpoint === null) await redo(host, claim, {}, begun);
  else await rollBack(host, claim, checkpoint, { on_modified, on_deleted, ...(only ? { only } : {}) }, begun);
}
