/** Rolls back and runs at once: one claim for both, and the rollback is undone if the task cannot run. */
import { VibeError } from '../../errors.ts';
import type { Claim } from '../../storage/contract.ts';
import { claimIdle } from '../recovery/commit-rollback.ts';
import type { TakenBack } from '../recovery/recover.ts';
import { redoRollback } from '../recovery/redo.ts';
import type { Run } from '../run/services.ts';
import type { RunServices, TakeUpOptions } from './runs.ts';

/** `back` checks the environment of the target; it answers null if it did not roll back. */
export async function rollBackAndRun(
  services: RunServices,
  task: string,
  options: TakeUpOptions,
  back: (claim: Claim) => Promise<TakenBack | null>,
): Promise<Run> {
  const { claim } = await claimIdle(services, task, options);
  let taken: TakenBack | null;
  try {
    taken = await back(claim);
  } catch (error) {
    await claim.release();
    throw error;
  }
  if (!taken) return services.running.takeUp(task, { ...options, claim });
  try {
    return await services.running.takeUp(task, { ...options, claim, on_environment: 'continue', ...taken });
  } catch (error) {
    if (taken.notes.length > 0) services.notify(taken.notes);
    await undo(services, task, options);
    throw error;
  }
}

/** If that is not possible either, the task stays paused at the rollback's target, and can be resumed. */
async function undo(services: RunServices, task: string, options: TakeUpOptions): Promise<void> {
  try {
    await redoRollback({ ...services, prompter: options.prompter ?? services.prompter }, task, options);
  } catch (error) {
    if (!(error instanceof VibeError)) throw error;
  }
}
