/** Undoes all changes of a task itself to files, in any status. Its state and its journal stay. */
import { EngineError, OwnershipError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Claim } from '../../storage/contract.ts';
import { isFinal } from '../../task/status.ts';
import { startOf } from '../files/own-changes.ts';
import { loadCleaned } from '../task/records/cleaned.ts';
import { loadUnfinished } from '../task/records/rollback-in-progress.ts';
import { requireTask } from '../task/tasks.ts';
import { asOnlyWriter, type RollbackServices } from './commit-rollback.ts';
import { conversationCut, refuseMoved } from './previewing.ts';
import {
  NO_NOTES,
  type PreviewOptions,
  previewBack,
  type RollbackOptions,
  refuseCutOff,
  rollBack,
} from './rollback.ts';
import type { BackPreview, BackResult } from './rollback-results.ts';

export type UndoTaskOptions = Omit<RollbackOptions, 'only'>;
export type UndoPreview = Omit<BackPreview, 'checkpoint'>;
export type UndoResult = Omit<BackResult, 'checkpoint'>;

/** What an undo would restore; no files if there is nothing to undo. Needs no claim. */
export async function previewUndo(
  services: RollbackServices,
  task: string,
  options?: PreviewOptions,
): Promise<UndoPreview> {
  const { checkpoint: _, ...preview } = await previewBack(services, task, everything(task), 'files', options);
  const { head, state } = await requireTask(services.storage, task);
  // An agent that continues does so from the beginning; one that has ended does not continue.
  const goesBack = !isFinal(state.status) && undoesAny(preview.plan);
  const conversation = goesBack ? await conversationCut(services.storage, head, startOf(task)) : null;
  return { ...preview, conversation };
}

function undoesAny(plan: UndoPreview['plan']): boolean {
  return plan?.some(({ action }) => action !== 'keep') ?? false;
}

/** NOTHING_TO_UNDO if it changed no files, or they are as they were before it. */
export async function undoTask(
  services: RollbackServices,
  task: string,
  options: UndoTaskOptions = {},
): Promise<UndoResult> {
  await requireTask(services.storage, task);
  if (options.dry_run)
    return { ...(await previewUndo(services, task, options)), done: false, notes: NO_NOTES };
  await refuseMoved(services.storage, task, options.expect);
  await refuseRunning(services, task);
  if (!(await loadUnfinished(services.storage, task))) await refuseNothing(services, task);
  const asking = { ...services, prompter: options.prompter ?? services.prompter };
  const undo = async (claim: Claim): Promise<BackResult> => {
    await refuseNothing(services, task);
    return rollBack(asking, claim, everything(task), { ...options, only: 'files' });
  };
  const { checkpoint: _, ...result } = await asOnlyWriter(
    asking,
    task,
    (claim, finished) => (finished?.verb === 'undo' ? Promise.resolve(finished.result) : undo(claim)),
    options,
  );
  return result;
}

function everything(task: string) {
  return { cut: startOf(task), reason: phrase`its changes to files were undone` };
}

/** An error that says what to do, before the claim fails with TASK_OWNED. */
async function refuseRunning({ storage, running }: RollbackServices, task: string): Promise<void> {
  const owner = await storage.owner(task);
  if (!owner && !running.get(task)) {
    return refuseCutOff(storage, task);
  }
  throw new OwnershipError('TASK_OWNED', phrase`Task ${task} is running: its changes cannot be undone yet.`, {
    data: { task, ...(owner ? { owner: owner.holder } : {}) },
    hint: phrase`Stop it first: vibe-engine pause ${task}. Then: vibe-engine undo ${task}.`,
  });
}

async function refuseNothing(services: RollbackServices, task: string): Promise<void> {
  const { plan } = await previewUndo(services, task);
  /** `remains`: its changes still exist, and cannot be undone. */
  const nothing = (why: string, hint: string, remains = false): never => {
    throw new EngineError('NOTHING_TO_UNDO', phrase`There is nothing to undo for task ${task}: ${why}.`, {
      data: { task, why, kept: plan ?? [], remains },
      hint,
    });
  };
  if ((await loadCleaned(services.storage, task)).emptied_at !== null)
    nothing(
      phrase`clean-up has removed the snapshots of its files`,
      phrase`The settings cleanup.completed_days and cleanup.failed_days say how long they are kept.`,
      true,
    );
  if (undoesAny(plan)) return;
  if (plan === null)
    nothing(phrase`files are not captured here`, phrase`Run it where the files of the project are known.`);
  const { files_undone } = (await requireTask(services.storage, task)).head;
  const hint = files_undone
    ? phrase`To bring them back: vibe-engine redo ${task}`
    : phrase`To see what it did: vibe-engine show ${task}`;
  if (plan!.length === 0 && files_undone)
    nothing(phrase`its changes were undone at ${files_undone.at}`, hint);
  if (plan!.length === 0) nothing(phrase`it changed no files`, hint);
  const remains = plan!.some(({ why }) => why !== 'already');
  nothing(phrase`its files are as they were before it, or cannot be restored`, hint, remains);
}
